from __future__ import annotations

import pytest
import torch
from torch import Tensor

from components.training.factorizing import factorized, read_shares
from tests import fakes
from tests.training import tiny


def _positions() -> Tensor:
    weights = tiny.bert().state_dict()
    segment = weights["bert.embeddings.token_type_embeddings.weight"][0]
    return weights["bert.embeddings.position_embeddings.weight"] + segment


def _entering_layer_1(found: dict[str, Tensor], words: Tensor) -> Tensor:
    """Compute what ALBERT's embeddings give, each word at a position of its own."""
    prefix, mapping = "albert.embeddings.", "albert.encoder.embedding_hidden_mapping_in."
    positions = found[prefix + "position_embeddings.weight"][: len(words)]
    narrow = found[prefix + "word_embeddings.weight"][: len(positions)] + positions
    normed = torch.nn.functional.layer_norm(narrow, narrow.shape[-1:], eps=1e-12)
    return normed @ found[mapping + "weight"].T + found[mapping + "bias"]


def _fitted(width: int, shares: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Give what enters layer 1 of an ALBERT, and of the BERT that it is fitted to."""
    bert, positions = tiny.bert(), _positions()
    words = bert.bert.embeddings.word_embeddings.weight.detach()
    shares = torch.full((len(words),), 1 / len(words)) if shares is None else shares
    found = factorized(bert, words, positions, width, shares)
    count = min(len(words), len(positions))
    norm = bert.bert.embeddings.LayerNorm
    return _entering_layer_1(found, words), norm(words[:count] + positions[:count]).detach()


def test_with_room_for_everything_nothing_is_lost() -> None:
    found, wanted = _fitted(tiny.HIDDEN + 2)
    torch.testing.assert_close(found, wanted, atol=1e-4, rtol=1e-3)


def test_less_room_loses_more() -> None:
    errors = []
    for width in (tiny.HIDDEN, tiny.HIDDEN // 2, 4):
        found, wanted = _fitted(width)
        errors.append(float((found - wanted).square().mean()))
    assert errors == sorted(errors)


def test_what_is_read_often_comes_back_better() -> None:
    often = 7
    shares = torch.full((len(fakes.tokenizer_of("bert")),), 1e-6)
    even, wanted = _fitted(6)
    shares[often] = 1.0
    found, _ = _fitted(6, shares / shares.sum())
    assert (found - wanted)[often].norm() < (even - wanted)[often].norm()


@pytest.mark.parametrize("family", ["albert", "deberta-v2"])
def test_the_shares_of_a_vocabulary_add_up_and_common_tokens_have_more(family: str) -> None:
    tokenizer = fakes.tokenizer_of(family)
    shares = read_shares(tokenizer)
    assert len(shares) == len(tokenizer)
    assert float(shares.sum()) == pytest.approx(1, abs=1e-5)
    assert float(shares.min()) > 0
