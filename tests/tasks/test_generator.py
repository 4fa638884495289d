from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import generator
from components.tasks.words import split_words
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]
TEXT = "the river ran past the mill and the children watched the boats"
NUMBERS = {"river": 1, "mill": 5, "boats": 11}


@pytest.fixture
def electra(load: Load) -> LoadedModel:
    return load("electra", Task.FILL_MASK)


@pytest.fixture(params=FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.FILL_MASK)


def _plain_pass(model: LoadedModel, text: str) -> torch.Tensor:
    """Probabilities (masks, vocab) that the network itself gives."""
    network, tokenizer = model._resident.network, model._resident.tokenizer
    inputs = tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        scores = network(**inputs).logits[0].softmax(-1)
    return scores[inputs["input_ids"][0] == tokenizer.mask_token_id]


def test_what_is_offered_equals_a_plain_forward_pass(electra: LoadedModel) -> None:
    expected = _plain_pass(electra, TEXT.replace("river", "[MASK]").replace("boats", "[MASK]"))
    offered = generator.propose(electra, TEXT, [NUMBERS["boats"], NUMBERS["river"]])
    assert [p.original for p in offered] == ["river", "boats"]
    for proposal, scores in zip(offered, expected, strict=True):
        assert TEXT[slice(*proposal.span)] == proposal.original
        for candidate in proposal.candidates:
            np.testing.assert_allclose(candidate.score, scores[candidate.token_id], rtol=1e-4)
        own = electra.pieces(proposal.original)[0][0]
        np.testing.assert_allclose(proposal.original_score, scores[own], rtol=1e-4)


def test_what_is_offered_is_another_word_best_first(model: LoadedModel) -> None:
    for proposal in generator.propose(model, TEXT, [1, 5], top_k=30):
        scores = [c.score for c in proposal.candidates]
        assert scores == sorted(scores, reverse=True)
        for candidate in proposal.candidates:
            assert candidate.word.casefold() != proposal.original
            assert [i for i, _ in model.pieces(candidate.word)] == [candidate.token_id]
            assert split_words(candidate.word, model.mask_token)[0].is_letters(candidate.word)


@pytest.mark.parametrize("count", [1, 2, 6])
def test_replaced_words_stand_where_they_are_said_to_and_all_else_stays(
    model: LoadedModel, count: int
) -> None:
    text = f"  «{TEXT}», 😀 she\r\nsaid!  "
    for seed in range(4):
        made = generator.replace_words(model, text, count=count, seed=seed)
        assert len(made.replacements) == count
        back = made.text
        for swap in reversed(made.replacements):
            start, end = swap.span
            assert back[start:end] == swap.put != swap.original
            assert 0 <= swap.score <= 1
            back = back[:start] + swap.original + back[end:]
        assert back == text == made.original


def test_the_same_seed_gives_the_same_game_and_others_give_others(electra: LoadedModel) -> None:
    first = generator.replace_words(electra, TEXT, count=3, seed=5)
    assert generator.replace_words(electra, TEXT, count=3, seed=5) == first
    assert len({generator.replace_words(electra, TEXT, seed=s).text for s in range(8)}) > 1


def test_words_are_drawn_with_the_generators_probabilities_the_original_left_out(
    electra: LoadedModel,
) -> None:
    shares = {"mill": 0.9, "boats": 0.09, "soup": 0.01}  # of what is left without the others
    others = {"river": 9.0, "##ing": 8.0, "[SEP]": 8.0, ",": 8.0}  # likely, but never put in
    logits = np.full(len(electra._resident.tokenizer), -40.0, np.float32)
    for token, logit in {**{w: np.log(s) for w, s in shares.items()}, **others}.items():
        logits[electra._resident.tokenizer.convert_tokens_to_ids(token)] = logit
    rng, draws = np.random.default_rng(0), 3_000
    drawn = [generator._drawn(electra, logits, "river", rng)[0] for _ in range(draws)]
    assert set(drawn) == set(shares)
    for word, share in shares.items():
        spread = 4 * (share * (1 - share) / draws) ** 0.5
        assert abs(drawn.count(word) / draws - share) <= spread, word


def test_chosen_words_are_the_ones_that_are_replaced(electra: LoadedModel) -> None:
    made = generator.replace_words(electra, TEXT, [11, 1, 1, 99, -1], count=5, seed=2)
    assert [swap.original for swap in made.replacements] == ["river", "boats"]


def test_a_word_of_several_pieces_is_one_blank(electra: LoadedModel) -> None:
    text = "the riverx ran past the mill"
    expected = _plain_pass(electra, "the [MASK] ran past the mill")[0]
    offered = generator.propose(electra, text, [1])[0]
    assert offered.pieces == ("river", "##x")
    assert offered.original_score is None
    best = offered.candidates[0]
    np.testing.assert_allclose(best.score, expected[best.token_id], rtol=1e-4)
    made = generator.replace_words(electra, text, [1])
    assert made.replacements[0].pieces == ("river", "##x")
    assert made.text == f"the {made.replacements[0].put} ran past the mill"


def test_blanks_leave_every_other_token_as_it_was(model: LoadedModel) -> None:
    encoding = model.encode(TEXT)
    span = (TEXT.index("mill"), TEXT.index("mill") + 4)
    masked, (place,) = generator.with_blanks(
        encoding, [span], model.mask_token, model.mask_token_id
    )
    assert masked.offsets[place] == span
    assert masked.tokens[place] == model.mask_token
    outside = [i for i, (s, e) in enumerate(encoding.offsets) if e <= span[0] or s >= span[1]]
    kept = [i for i in range(len(masked)) if i != place]
    assert [masked.input_ids[i] for i in kept] == [encoding.input_ids[i] for i in outside]
    lengths = {len(row) for row in (masked.tokens, masked.sequence_ids, masked.word_ids)}
    assert lengths == {len(masked)}
    assert replace(masked, full_length=len(masked)).is_truncated is False


def test_capitals_are_kept_so_that_a_small_letter_gives_nothing_away(electra: LoadedModel) -> None:
    assert electra.lowercases
    made = generator.replace_words(electra, "The RIVER ran", [0, 1], seed=3)
    assert made.replacements[0].put[0].isupper()
    assert made.replacements[1].put.isupper()


def test_half_of_the_words_stay_and_it_is_said(electra: LoadedModel) -> None:
    made = generator.replace_words(electra, "the river ran past, slowly!", count=9)
    assert len(made.replacements) == 2
    assert made.notices == ("Half of the words must stay, so 2 and not 9 were replaced.",)
    assert len(generator.replace_words(electra, "river", count=-3).replacements) == 1


@pytest.mark.parametrize("text", ["?! …", "😀", "[MASK]", "", " ", "x" * 2_001, None])
def test_a_text_without_a_word_is_refused(electra: LoadedModel, text: str) -> None:
    with pytest.raises(InputError):
        generator.replace_words(electra, text)


@pytest.mark.parametrize("seed", [-7, 10**15, 0])
def test_any_seed_will_do(electra: LoadedModel, seed: int) -> None:
    assert generator.replace_words(electra, TEXT, seed=seed).replacements


def test_what_was_not_read_is_not_replaced(electra: LoadedModel) -> None:
    text = "the river ran " * 60
    read = electra.encode(text).offsets[-2][1]
    for seed in range(3):
        made = generator.replace_words(electra, text, count=10, seed=seed)
        assert all(swap.span[0] < read + 60 for swap in made.replacements)
    assert generator.propose(electra, text, [170]) == ()


@pytest.mark.parametrize(
    "text", ["cafe\u0301 naïve 😀 \ud800 [SEP] </s>", "[MASK] river ___ ran", "مرحبا 你好\r\nboats"]
)
def test_odd_characters_do_no_harm(model: LoadedModel, text: str) -> None:
    made = generator.replace_words(model, text, count=2, seed=1)
    assert all(made.text[slice(*swap.span)] == swap.put for swap in made.replacements)
