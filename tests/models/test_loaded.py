from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from components.config import ASSETS, Settings
from components.errors import InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]
TEXTS = ("the river ran past", "a good teacher explains every step", "cold", "was it warm ? " * 20)

every_family = pytest.mark.parametrize("family", FAMILY_NAMES)


@every_family
def test_logits_at_chosen_positions_are_the_rows_of_all_logits(family: str, load: Load) -> None:
    model = load(family, Task.FILL_MASK)
    encodings = [model.encode(text) for text in TEXTS]
    positions = [[1, 3], [2], [], list(range(9))]
    whole, chosen = model.run(encodings), model.run(encodings, positions=positions)
    for full, some, at in zip(whole, chosen, positions, strict=True):
        assert some["logits"].shape == (len(at), full["logits"].shape[1])
        np.testing.assert_allclose(some["logits"], full["logits"][at], atol=1e-4)


@every_family
def test_answers_are_plain_numbers_of_the_right_shape(family: str, load: Load) -> None:  # H33
    model = load(family, Task.ENCODER, attentions=True)
    encodings = [model.encode(text) for text in TEXTS]
    for encoding, answer in zip(
        encodings, model.run(encodings, attentions=True, hidden_states=True), strict=True
    ):
        n = len(encoding)
        assert answer["attentions"].shape == (model.layers, model.heads, n, n)
        np.testing.assert_allclose(answer["attentions"].sum(-1), 1, atol=1e-4)
        assert answer["hidden_states"].shape == (model.layers + 1, n, 32)
        np.testing.assert_array_equal(answer["hidden_states"][-1], answer["last_hidden_state"])
        assert {array.dtype for array in answer.values()} == {np.dtype("float32")}


@every_family
@pytest.mark.parametrize(
    ("task", "shapes"),
    [
        (Task.SENTIMENT, {"logits": (2,)}),
        (Task.QUESTION_ANSWERING, {"start_logits": (7,), "end_logits": (7,)}),
    ],
)
def test_heads_answer_for_each_text(
    family: str, task: Task, shapes: dict[str, Any], load: Load
) -> None:
    model = load(family, task)
    encodings = [model.encode("the boats ran"), model.encode("was it warm ? " * 20)]
    answers = model.run(encodings)
    for encoding, answer in zip(encodings, answers, strict=True):
        for name, shape in shapes.items():
            assert answer[name].shape == (shape if name == "logits" else (len(encoding),))
            alone = model.run([encoding])[0][name]
            np.testing.assert_allclose(answer[name], alone, atol=1e-4)


def test_nothing_asked_is_nothing_answered(load: Load) -> None:
    assert load("bert", Task.ENCODER).run([]) == []


def test_positions_are_for_masked_words_alone(load: Load) -> None:
    model = load("bert", Task.SENTIMENT)
    with pytest.raises(ValueError, match="positions"):
        model.run([model.encode("cold")], positions=[[1]])


def test_a_long_list_of_rows_of_the_vocabulary_is_computed_in_parts(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load("bert", Task.FILL_MASK)
    monkeypatch.setattr("components.models.loaded._BATCH_SCORES", 183 * 20)
    assert model._batch_limit(at_every_token=True) == 20
    assert model._batch_limit(at_every_token=False) > 1_000
    assert len(model.run([model.encode(text) for text in TEXTS])) == len(TEXTS)


def test_many_at_once_get_their_own_answers(load: Load) -> None:
    model = load("roberta", Task.FILL_MASK)
    texts = [f"{word} <mask> {word}" for word in ("river", "mill", "boats", "soup")]

    def answer(text: str) -> Any:
        encoding = model.encode(text, literal=False)
        positions = encoding.positions_of(model.mask_token_id)
        return model.run([encoding], positions=[positions])[0]["logits"]

    expected = [answer(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(answer, texts * 12))
    for i, logits in enumerate(found):
        np.testing.assert_allclose(logits, expected[i % 4], atol=1e-4)


# Windows over a long passage


@every_family
@pytest.mark.parametrize(("max_length", "stride"), [(64, 21), (40, 8), (32, 0), (384, 128)])
def test_windows_cover_the_passage_and_overlap(
    family: str, max_length: int, stride: int, load: Load
) -> None:  # H30
    model = load(family, Task.QUESTION_ANSWERING)
    passage = " ".join(f"sentence {i} is here." for i in range(60))
    windows = model.windows("what was cold ?", passage, max_length=max_length, stride=stride)
    assert len(windows) > 1
    covered, ends = set[int](), list[int]()
    for window in windows:
        assert len(window) <= min(max_length, model.max_length)
        at = [i for i, number in enumerate(window.sequence_ids) if number == 1]
        assert at == list(range(at[0], at[-1] + 1))
        spans = [window.offsets[i] for i in at]
        if ends:
            assert spans[0][0] <= ends[-1] + 1
        ends.append(spans[-1][1])
        covered |= {c for start, end in spans for c in range(start, end)}
    assert {i for i, c in enumerate(passage) if not c.isspace()} <= covered
    outputs = model.run(windows)
    assert [len(o["start_logits"]) for o in outputs] == [len(window) for window in windows]


@every_family
@pytest.mark.parametrize(
    "question",
    ["why " * 450, "why " * 600, "why " * 30, "[SEP] " * 40, "</s> <mask> " * 30, "?" * 300,
     "é" * 200, "😀" * 100, "\ud800 " * 200],
)  # fmt: skip
def test_a_long_question_is_refused_or_answered_and_never_panics(
    family: str, question: str, load: Load
) -> None:  # H31
    model, began = load(family, Task.QUESTION_ANSWERING), time.process_time()
    for max_length, stride in ((512, 128), (64, 30), (24, 8)):
        try:
            windows = model.windows(question, "mill " * 600, max_length=max_length, stride=stride)
        except InputError:
            continue
        assert all(len(window) <= 64 for window in windows)
    assert time.process_time() - began < 2


def test_the_longest_question_that_is_allowed_works_and_one_more_is_refused(load: Load) -> None:
    model = load("bert", Task.QUESTION_ANSWERING)
    sizes = {"max_length": 64, "stride": 16}
    limit = 64 - 16 - 3 - 1
    assert len(model.windows("w " * limit, "mill " * 90, **sizes)) > 1
    with pytest.raises(InputError, match=f"it has {limit + 1} tokens, and at most {limit}"):
        model.windows("w " * (limit + 1), "mill " * 90, **sizes)


def test_an_empty_passage_gives_a_window_without_a_passage(load: Load) -> None:
    model = load("bert", Task.QUESTION_ANSWERING)
    for passage in ("", "   "):
        windows = model.windows("who ran ?", passage, max_length=64, stride=16)
        assert len(windows) == 1
        assert 1 not in windows[0].sequence_ids


@pytest.mark.slow
def test_the_windows_of_the_real_vocabulary() -> None:  # H30, H31
    assert (ASSETS / "models" / "bert-mini").is_dir()
    manager = ModelManager(Settings(device="cpu"))
    model = manager.get("bert-mini", Task.QUESTION_ANSWERING)
    passage = " ".join(f"sentence {i} is here." for i in range(200))
    windows = model.windows("Which one is it?", passage, max_length=384, stride=128)
    spans = [[s for s, n in zip(w.offsets, w.sequence_ids, strict=True) if n == 1] for w in windows]
    assert len(windows) == 4
    assert spans[0][0][0] == 0
    assert spans[-1][-1][1] == len(passage) == 4_289
    for words in (450, 600):
        with pytest.raises(InputError, match="too long"):
            model.windows("why " * words, "mill " * 600, max_length=512, stride=128)


# What a visitor is told about a model


@every_family
def test_a_model_describes_itself(family: str, load: Load) -> None:
    model = load(family, Task.SENTIMENT)
    assert (model.layers, model.heads, model.max_length, model.device) == (3, 4, 64, "cpu")
    assert model.labels == ("LABEL_0", "LABEL_1")  # H22
    assert model.token(model.mask_token_id) == model.mask_token
    network = model._resident.network
    assert model.parameters == network.num_parameters()
    assert model.weight_bytes >= 4 * model.parameters
    assert 0 < model.disk_bytes < 2 * model.weight_bytes
    assert model.lowercases == (family not in ("roberta", "deberta-v2"))
    assert model.notices == ()


@every_family
def test_a_word_is_split_as_inside_a_sentence(family: str, load: Load) -> None:  # H05
    model = load(family, Task.FILL_MASK)
    encoding = model.encode("the river")
    inside = [
        (i, token)
        for i, token, number in zip(
            encoding.input_ids, encoding.tokens, encoding.sequence_ids, strict=True
        )
        if number == 0
    ]
    pieces = model.pieces("  river ")
    assert list(pieces) == inside[-len(pieces) :]
    for odd in ("", "\ud800", "😀", "\x00", "a b c"):
        assert all(model.token(i) == token for i, token in model.pieces(odd))
