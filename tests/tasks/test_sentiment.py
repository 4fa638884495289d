from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from components.errors import HeadError, InputError
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import sentiment
from components.tasks.sentiment import Scale
from tests import fakes

Load = Callable[..., LoadedModel]
TEXTS = ("i love this tool", "i hate the slow menu", "the soup was cold but the bread was warm")


@pytest.fixture(params=fakes.FAMILY_NAMES)
def model(request: pytest.FixtureRequest, load: Load) -> LoadedModel:
    return load(request.param, Task.SENTIMENT)


@pytest.fixture
def bert(load: Load) -> LoadedModel:
    return load("bert", Task.SENTIMENT)


def read(place: Path) -> LoadedModel:
    return fakes.load_folder(place, Task.SENTIMENT)


def classifier(place: Path, tokenizer_limit: int = 64, **options: Any) -> LoadedModel:
    """Write and read a tiny BERT classifier whose configuration has `options`."""
    torch.manual_seed(3)
    config = fakes.config_of("bert")
    for name, value in options.items():
        setattr(config, name, value)
    transformers.BertForSequenceClassification(config).save_pretrained(place)
    vocabulary = fakes.wordpiece_vocabulary()
    transformers.BertTokenizer(
        vocab=vocabulary, do_lower_case=True, model_max_length=tokenizer_limit
    ).save_pretrained(place)
    return read(place)


def test_scores_equal_a_plain_forward_pass(model: LoadedModel) -> None:
    network, tokenizer = model._resident.network, model._resident.tokenizer
    result = sentiment.predict(model, TEXTS)
    assert result.scale is Scale.ONE_OF
    for text, classified in zip(TEXTS, result.texts, strict=True):
        inputs = tokenizer(text, return_tensors="pt", return_token_type_ids=False)
        with torch.no_grad():
            expected = network(**inputs).logits[0].softmax(-1)
        np.testing.assert_allclose(classified.scores, expected, rtol=1e-3, atol=1e-5)
        assert classified.chosen == (int(expected.argmax()),)
        assert classified.text == text


def test_neighbours_change_nothing(model: LoadedModel) -> None:
    together = sentiment.predict(model, [*TEXTS, "the river ran " * 9]).texts
    for text, classified in zip(TEXTS, together, strict=False):
        (alone,) = sentiment.predict(model, [text]).texts
        np.testing.assert_allclose(alone.scores, classified.scores, atol=1e-5)


def test_many_texts_keep_their_order(bert: LoadedModel) -> None:
    texts = [f"the river {'ran ' * (i % 7)}past {i}" for i in range(40)]
    assert [t.text for t in sentiment.predict(bert, texts).texts] == texts


def test_two_classes_share_everything_and_no_third_is_invented(bert: LoadedModel) -> None:  # H25
    result = sentiment.predict(bert, ["The meeting is on Tuesday."])
    assert len(result.labels) == len(result.texts[0].scores) == 2
    assert sum(result.texts[0].scores) == pytest.approx(1)
    assert len(result.texts[0].chosen) == 1


def test_labels_are_the_models_own(bert: LoadedModel, tmp_path: Path) -> None:  # H22
    assert sentiment.predict(bert, TEXTS).labels == ("LABEL_0", "LABEL_1")
    names = {0: "good", 1: "<b>bad</b>", 2: "good"}
    named = classifier(tmp_path / "named", num_labels=3, id2label=names)
    assert sentiment.predict(named, TEXTS).labels == ("good", "<b>bad</b>", "good")


@pytest.mark.parametrize("limit", [64, 10**30])
def test_a_long_text_is_judged_by_its_beginning(tmp_path: Path, limit: int) -> None:  # H23
    model = classifier(tmp_path / "m", tokenizer_limit=limit, num_labels=2)
    (long,) = sentiment.predict(model, ["the river " * 400]).texts
    assert (long.tokens_read, long.tokens) == (64, 802)
    (beginning,) = sentiment.predict(model, ["the river " * 31]).texts
    np.testing.assert_allclose(long.scores, beginning.scores, atol=1e-6)


@pytest.mark.parametrize("window", [48, 512])
def test_a_long_text_is_judged_by_the_mean_of_its_windows(
    model: LoadedModel, window: int
) -> None:  # H23
    text = "the river ran past the mill\n" * 20 + "the soup was cold " * 30
    (long,) = sentiment.predict(model, [text], window=window).texts
    length = min(window, model.max_length)
    tokenizer, network = model._resident.tokenizer, model._resident.network
    first, *ids, last = tokenizer(text, verbose=False)["input_ids"]
    assert long.tokens == long.tokens_read == len(ids) + 2
    step, begin, alone = length - 2 - length // 4, 0, []
    while not alone or begin + length - 2 - step < len(ids):
        part = ids[begin : begin + length - 2]
        whole = torch.tensor([[first, *part, last]])
        with torch.no_grad():
            alone.append((len(part), network(input_ids=whole).logits[0].numpy()))
        begin += step
    assert [w.tokens for w in long.windows] == [count for count, _ in alone]
    for found, (_, logits) in zip(long.windows, alone, strict=True):
        np.testing.assert_allclose(found.logits, logits, atol=1e-3)
    weights = np.array([count for count, _ in alone])[:, None]
    mean = (weights * np.array([logits for _, logits in alone])).sum(0) / weights.sum()
    np.testing.assert_allclose(long.scores, np.exp(mean) / np.exp(mean).sum(), atol=1e-4)
    spans = [w.span for w in long.windows]
    assert (spans[0][0], spans[-1][1]) == (0, len(text.rstrip()))
    assert all(b[0] < a[1] for a, b in pairwise(spans))


def test_windows_change_nothing_for_texts_that_fit(model: LoadedModel) -> None:
    assert sentiment.predict(model, TEXTS, window=512) == sentiment.predict(model, TEXTS)
    assert sentiment.predict(model, TEXTS, window=512).texts[0].windows == ()


def test_who_waits_for_a_long_text_hears_how_far_it_is(bert: LoadedModel) -> None:
    heard: list[tuple[str, float]] = []
    sentiment.predict(
        bert, ["the river ran " * 300, "a city"], window=32,
        tell=lambda message, done: heard.append((message, done)),
    )  # fmt: skip
    assert heard[0][0].startswith("Window 1 of ")
    assert [done for _, done in heard] == sorted(done for _, done in heard)
    with pytest.raises(InputError, match="too long"):
        sentiment.predict(bert, ["x" * 100_001], window=32)


def test_a_short_text_is_read_whole(model: LoadedModel) -> None:
    (short,) = sentiment.predict(model, ["the river"]).texts
    assert short.tokens_read == short.tokens <= 64


LOGITS = np.array([2.0, -1.0, 0.5], dtype=np.float32)


@pytest.mark.parametrize(
    ("problem_type", "labels", "scale"),
    [
        ("multi_label_classification", 3, Scale.ANY_OF),
        ("multi_label_classification", 1, Scale.ANY_OF),
        ("single_label_classification", 3, Scale.ONE_OF),
        (None, 3, Scale.ONE_OF),
        (None, 1, Scale.NUMBER),
        ("single_label_classification", 1, Scale.NUMBER),
        ("regression", 1, Scale.NUMBER),
        ("regression", 3, Scale.NUMBER),
    ],
)
def test_the_model_says_what_its_numbers_mean(
    problem_type: str | None, labels: int, scale: Scale
) -> None:  # H24
    assert sentiment.scale_of(problem_type, labels) is scale


def test_logits_are_read_on_their_scale() -> None:  # H24
    def percents(scale: Scale) -> list[float]:
        return [round(100 * float(s), 2) for s in sentiment.scores_of(LOGITS, scale)]

    assert percents(Scale.ANY_OF) == [88.08, 26.89, 62.25]
    assert percents(Scale.ONE_OF) == [78.56, 3.91, 17.53]
    assert sentiment.scores_of(np.array([3.7]), Scale.NUMBER).tolist() == [3.7]


def test_several_labels_may_apply_and_a_number_has_none(tmp_path: Path) -> None:  # H24
    several = classifier(
        tmp_path / "several", num_labels=3, problem_type="multi_label_classification"
    )
    for text in sentiment.predict(several, TEXTS).texts:
        assert text.chosen == tuple(i for i, s in enumerate(text.scores) if s >= 0.5)
        assert all(0 < score < 1 for score in text.scores)
    number = sentiment.predict(classifier(tmp_path / "number", num_labels=1), TEXTS)
    assert number.scale is Scale.NUMBER
    assert [text.chosen for text in number.texts] == [()] * 3


@pytest.mark.parametrize("family", fakes.FAMILY_NAMES)
def test_a_language_model_is_no_classifier(tmp_path: Path, family: str) -> None:  # H09
    head = "base" if family in ("electra", "deberta-v2") else "fill-mask"
    place = fakes.write_checkpoint(tmp_path / family, family, head)
    with pytest.raises(HeadError, match=r"classifier.*would be random"):
        read(place)


def test_a_head_of_another_size_is_refused(tmp_path: Path) -> None:  # H09
    place = tmp_path / "odd"
    classifier(place, num_labels=2)
    config = transformers.AutoConfig.from_pretrained(place)
    config.num_labels = 5
    config.save_pretrained(place)
    with pytest.raises(HeadError, match="classifier"):
        read(place)


@pytest.mark.parametrize("text", ["", "  ", "x" * 10_001, None, 7, "\u200b", "\u00ad\u200d"])
def test_a_text_that_cannot_be_used_is_refused_by_its_number(
    bert: LoadedModel, text: object
) -> None:
    with pytest.raises(InputError, match="Text 2"):
        sentiment.predict(bert, ["fine", text])  # type: ignore[list-item]


@pytest.mark.parametrize("text", ["😀 é \ud800", "[SEP] </s> [MASK]", "مرحبا 你好", "a\r\nb\x00c"])
def test_odd_characters_do_no_harm(model: LoadedModel, text: str) -> None:
    result = sentiment.predict(model, [text])
    assert sum(result.texts[0].scores) == pytest.approx(1)
    assert result.texts[0].text == text


def test_notices_of_the_reading_are_passed_on(bert: LoadedModel) -> None:
    assert sentiment.predict(bert, TEXTS, notices=["2 rows skipped."]).notices == (
        "2 rows skipped.",
    )
