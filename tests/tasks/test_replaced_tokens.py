from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from components.errors import HeadError, InputError
from components.models.catalog import CATALOG
from components.models.encoding import Encoding
from components.models.families import FAMILIES, Task
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from components.tasks import generator, replaced_tokens
from components.tasks.replaced_tokens import Score, score

Load = Callable[..., LoadedModel]
TEXT = "The cat sat on tree."


@pytest.fixture
def electra(load: Load) -> LoadedModel:
    return load("electra", Task.REPLACED_TOKENS)


def test_suspicion_is_the_sigmoid_of_the_logits_of_a_plain_forward_pass(
    electra: LoadedModel,
) -> None:
    network, tokenizer = electra._resident.network, electra._resident.tokenizer
    assert type(network).__name__ == "ElectraForPreTraining"
    with torch.no_grad():
        logits = network(**tokenizer(TEXT, return_tensors="pt")).logits[0, 1:-1]
    result = replaced_tokens.predict(electra, TEXT)
    np.testing.assert_allclose([t.logit for t in result.tokens], logits, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose([t.score for t in result.tokens], logits.sigmoid(), rtol=1e-4)


def test_of_known_logits_only_what_is_above_one_half_is_suspected() -> None:  # H06
    encoding = Encoding(
        tokens=("[CLS]", "a", "b", "c", "d", "[SEP]"),
        input_ids=(2, 5, 6, 7, 8, 3),
        token_type_ids=None,
        offsets=((0, 0), (0, 1), (2, 3), (4, 5), (6, 7), (0, 0)),
        sequence_ids=(None, 0, 0, 0, 0, None),
        word_ids=(None, 0, 1, 2, 3, None),
        full_length=6,
    )
    found = replaced_tokens.suspicions(encoding, np.array([9.0, -3, 2, 0, -0.2, 9]))
    assert [t.token for t in found] == ["a", "b", "c", "d"]
    assert [round(100 * t.score, 2) for t in found] == [4.74, 88.08, 50.0, 45.02]
    assert [t.is_suspected for t in found] == [False, True, False, False]


@pytest.mark.parametrize(
    "card", [c for c in CATALOG if Task.REPLACED_TOKENS not in c.tasks], ids=lambda c: c.id
)
def test_every_other_model_is_refused_with_its_familys_reason(
    models: ModelManager, card: object
) -> None:  # H06
    with pytest.raises(HeadError) as error:
        models.get(card.id, Task.REPLACED_TOKENS)  # type: ignore[attr-defined]
    reason = FAMILIES[card.model_type].why_not[Task.REPLACED_TOKENS]  # type: ignore[attr-defined]
    assert reason in str(error.value)


NASTY = (
    TEXT,
    "unhappiness riverx don't",
    "Zürich 你好 cafe\u0301 😀 👩‍👩‍👧‍👦",
    "مرحبا שלום\r\n\tx  y",
    "[CLS] [SEP] [MASK] ___ \ud800 \u200b",
    "w" * 400,
)


@pytest.mark.parametrize("text", NASTY)
def test_every_token_has_its_place_and_every_word_its_tokens(
    electra: LoadedModel, text: str
) -> None:
    result = replaced_tokens.predict(electra, text)
    for token in result.tokens:
        assert 0 <= token.span[0] <= token.span[1] <= len(text)
        assert 0 <= token.score <= 1
    given = {number for word in result.words for number in word.tokens}
    seen = {n for n, t in enumerate(result.tokens) if text[slice(*t.span)].strip()}
    assert seen <= given
    for word in result.words:
        assert word.is_suspected == any(result.tokens[n].is_suspected for n in word.tokens)
        for number in word.tokens:
            start, end = result.tokens[number].span
            assert start < word.span[1]
            assert word.span[0] < end


def test_pieces_belong_to_their_word(electra: LoadedModel) -> None:
    result = replaced_tokens.predict(electra, "the riverx ran")
    word = result.words[1]
    assert [result.tokens[n].token for n in word.tokens] == ["river", "##x"]


def test_alone_and_in_a_batch_the_answers_are_the_same(electra: LoadedModel) -> None:
    texts = [TEXT, "the river ran past the mill", "x"]
    together = electra.run([electra.encode(text) for text in texts])
    for text, arrays in zip(texts, together, strict=True):
        alone = [t.logit for t in replaced_tokens.predict(electra, text).tokens]
        np.testing.assert_allclose(alone, arrays["logits"][1:-1], atol=1e-4)


@pytest.mark.parametrize("text", ["", "  ", "\n", "x" * 2_001, None, 7])
def test_what_is_no_text_or_too_long_is_refused(electra: LoadedModel, text: object) -> None:
    with pytest.raises(InputError):
        replaced_tokens.predict(electra, text)  # type: ignore[arg-type]


def test_a_text_that_is_cut_says_so(electra: LoadedModel) -> None:
    result = replaced_tokens.predict(electra, "the river ran " * 60)
    assert result.notices == ("Only the first 64 of 182 tokens were read.",)
    assert result.words[-1].tokens == ()


def test_guesses_are_counted_in_words() -> None:
    assert score({1, 2}, {2, 3}) == Score(hits=1, misses=1, false_alarms=1)
    assert score(set(), {2}) == Score(0, 1, 0)


def test_a_round_asks_about_words_only_and_knows_the_truth(load: Load) -> None:
    filler = load("electra", Task.FILL_MASK)
    altered = generator.replace_words(filler, "the riverx, ran past!", [1, 3], seed=4)
    judged = replaced_tokens.predict(load("electra", Task.REPLACED_TOKENS), altered.text)
    comma = next(i for i, w in enumerate(judged.words) if not w.is_word)
    game = replaced_tokens.play(altered, judged, [1, 0, comma, 99, -5])
    assert game.replaced == {1, 3}
    assert game.marked == {0, 1}
    assert game.yours == Score(hits=1, misses=1, false_alarms=1)
    machine = {i for i, w in enumerate(judged.words) if w.is_word and w.is_suspected}
    assert game.machines == score(machine, {1, 3})
