from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from components.config import ASSETS
from components.models.encoding import Encoding
from components.models.families import FAMILIES, Task
from components.models.loaded import LoadedModel
from components.tasks import attention as task
from components.tasks.answers import Reading
from components.tasks.attention import AttentionResult, Look, View
from components.tasks.mixing import Mix
from components.views import attention as views
from components.views import heads
from components.views.palette import FAMILY_COLOURS
from tests.views.test_packing import dequantise

Load = Callable[..., LoadedModel]
TOKENS = ("<s>", "the", "cat", "the", "<b>mat</b>", "</s>")


class Fake:
    """What `attention.predict` asks of a model, for inputs of any length and number of heads."""

    id, family = "bert-mini", FAMILIES["bert"]

    def __init__(self, attention: np.ndarray) -> None:
        self.layers, self.heads = attention.shape[:2]


def result_of(
    tokens: tuple[str, ...] = TOKENS, layers: int = 3, count: int = 4, **look: Any
) -> AttentionResult:
    rng = np.random.default_rng(1)
    size = len(tokens)
    attention = rng.random((layers, count, size, size), dtype=np.float32) ** 4
    attention /= attention.sum(axis=-1, keepdims=True)
    encoding = Encoding(
        tokens=tokens,
        input_ids=tuple(range(size)),
        token_type_ids=None,
        offsets=((0, 0),) * size,
        sequence_ids=(None, *[0] * (size - 2), None),
        word_ids=tuple(range(size)),
        full_length=size,
    )
    reading = Reading(("the cat", ""), encoding, attention, None, ())
    return task.predict(
        Fake(attention),  # type: ignore[arg-type]
        "the cat",
        look=Look(**look),
        reader=lambda *_: reading,
    )


def _unpacked(sent: dict[str, Any]) -> np.ndarray:
    import base64

    shape = sent["shape"]
    codes = np.frombuffer(base64.b64decode(sent["codes"]), np.uint8).reshape(shape)
    scale = np.frombuffer(base64.b64decode(sent["scales"]), "<f4").reshape(shape[:2])
    return dequantise(codes, scale)


def test_the_finding_says_where_the_head_looks() -> None:
    result = result_of(layer=2, head=1)
    pattern = result.statistics.pattern(2, 1)
    drawn = views.finding(result)
    assert "Head 2 of layer 3 looks" in drawn
    assert f"{100 * pattern.score:.1f} %" in drawn
    assert "The model answers" not in drawn  # a plain encoder answers nothing


def test_the_prediction_stands_above(load: Load) -> None:
    model = load("bert", Task.FILL_MASK, attentions=True)
    drawn = views.finding(task.predict(model, "the river ___ past", look=Look()))
    assert drawn.index("fills the blank") < drawn.index("Head 1 of layer 1")


@pytest.mark.parametrize("view", [View.HEAD, View.MATRIX])
def test_the_picture_has_the_weights_of_every_head_that_fits(view: View) -> None:
    result = result_of(view=view, layer=1)
    data = views.picture(result)
    np.testing.assert_allclose(_unpacked(data["matrices"]), result.weights, atol=0.004)
    assert data["rows"] == list(TOKENS)
    assert "columns" not in data  # the same tokens
    assert data["specialRows"] == [0, 5]
    assert len(data["titles"]) == 4
    assert data["ceiling"] == 1
    np.testing.assert_allclose(
        _unpacked(data["tiles"]), result.tiles(range(1, 2), 24)[0], atol=0.004
    )


def test_all_layers_are_small_thumbnails_with_a_name_each() -> None:
    data = views.picture(result_of(view=View.MODEL))
    assert data["tiles"]["shape"] == [12, 6, 6]
    assert data["tileset"]["layers"] == [0, 1, 2]
    assert len(data["tileset"]["notes"]) == 12
    assert "matrices" not in data


def test_a_mixture_is_drawn_up_to_its_largest_weight() -> None:
    data = views.picture(result_of(mix=Mix.ROLLOUT, layer=2))
    assert data["matrices"]["shape"] == [1, 6, 6]
    assert data["ceiling"] == pytest.approx(result_of(mix=Mix.ROLLOUT, layer=2).chosen.max())
    assert "layers 1 to 3" in data["title"]


def _sent(result: AttentionResult) -> int:
    """Bytes of everything that a run of the tab sends, less Gradio's own wrapping."""
    drawn = (
        views.finding(result),
        views.picture(result),
        heads.panels(result.statistics, "previous", (0, 0)),
        views.shares(result),
        views.table(result),
        heads.table(result.statistics, "previous"),
        views.match_table(result),
    )
    return len(json.dumps(drawn).encode())


def _long(count: int) -> tuple[str, ...]:
    return ("[CLS]", *(f"##tokens{i}" for i in range(count - 2)), "[SEP]")


@pytest.mark.parametrize(("count", "most"), [(32, 64_000), (128, 64_000), (512, 400_000)])
@pytest.mark.parametrize("view", [View.HEAD, View.MATRIX, View.LAYER, View.MODEL])
def test_a_look_at_a_model_of_full_size_is_small(count: int, most: int, view: View) -> None:  # H35
    result = result_of(_long(count), layers=12, count=12, view=view)
    assert _sent(result) <= most
    program = views.numbers(result, 0)
    assert len(json.dumps(program)) < 2_000_000


def test_of_a_long_text_the_whole_head_travels() -> None:
    result = result_of(_long(512), layers=2, count=12, head=7)
    data = views.picture(result)
    assert data["matrices"]["shape"] == [1, 512, 512]
    drawn = _unpacked(data["matrices"])[0]
    np.testing.assert_allclose(drawn.sum(axis=-1), result.chosen.sum(axis=-1), atol=0.002)
    assert data["tiles"]["shape"] == [12, 24, 24]


def test_a_query_and_its_keys_are_sent_with_scores_that_add_up(load: Load) -> None:
    model = load("deberta-v2", Task.ENCODER, attentions=True)
    text = "the river ran past"
    look = Look(layer=1, head=2, token=3, view=View.MATCH)
    result = task.predict(model, text, look=look)
    sent = views.picture(result)["match"]
    assert sent["parts"] == ["content", "content → position", "position → content"]
    for i, (*parts, score) in enumerate(sent["scores"]):
        assert sum(parts) == pytest.approx(score, abs=1e-3)
        scale = result.match.scale  # type: ignore[union-attr]
        assert sum(sent["products"][i]) / scale == pytest.approx(parts[0], abs=0.02)
    assert sum(sent["weights"]) == pytest.approx(1, abs=0.01)
    assert len(views.match_table(result)) == 4 * len(sent["tokens"])
    assert len(views.match_table(result)[0]) == len(views.MATCH_HEADERS)


def test_of_many_keys_those_with_most_weight_are_sent_and_the_rest_is_summed(load: Load) -> None:
    model = load("bert", Task.ENCODER, attentions=True)
    text = "the river ran past the mill " * 8
    result = task.predict(model, text, look=Look(view=View.MATCH, token=2))
    sent = views.picture(result)["match"]
    assert len(sent["tokens"]) == 32
    assert "18 other tokens together" in sent["rest"]
    assert sent["positions"] == sorted(sent["positions"])


def test_the_table_lists_the_strongest_links_first() -> None:
    result = result_of(head=1)
    rows = views.table(result)
    assert len(rows) == 36
    assert all(len(row) == len(views.HEADERS) for row in rows)
    i, token, j, other, _ = rows[0]
    assert result.chosen[i, j] == result.chosen.max()  # type: ignore[index]
    assert (token, other) == (TOKENS[i], TOKENS[j])  # type: ignore[index]


def test_what_is_shown_of_heads_is_escaped() -> None:  # H38
    result = result_of(("<img src=x>", "a", "b", "<script>"))
    drawn = views.shares(result) + heads.panels(result.statistics, "separator", (0, 0))
    assert "&lt;img src=x&gt;" in drawn
    assert "<img" not in drawn
    assert "<script" not in drawn


@pytest.mark.parametrize("order", heads.ORDERS)
def test_heads_are_sorted_as_asked(order: str) -> None:
    statistics = result_of().statistics
    rows = heads.table(statistics, order)
    assert len(rows) == 12
    assert all(len(row) == len(heads.HEADERS) for row in rows)
    values = heads.ORDERS[order].of(statistics)
    layer, head = rows[0][:2]  # counted from 1
    assert values[layer - 1, head - 1] == values.max()  # type: ignore[index]


def test_the_head_for_the_previous_token_is_named_first() -> None:
    result = result_of()
    best = result.statistics.strongest("previous")
    drawn = str(heads.panels(result.statistics, "previous", (0, 0)))
    first = re.search(r'data-pick="(\d+),(\d+)".*?previous token', drawn)
    assert first is not None
    assert first.groups() == (str(best.layer), str(best.head))


def test_programs_get_plain_numbers() -> None:
    answer = views.numbers(result_of(layer=1, head=2), 2)
    assert json.loads(json.dumps(answer)) == answer
    assert len(answer["weights"]) == 4  # rows 2 to 5
    np.testing.assert_allclose(np.sum(answer["weights"], axis=1), 1, atol=1e-4)


def test_the_template_evaluates_nothing_and_data_never_becomes_html() -> None:  # H38
    template = (ASSETS / "attention" / "frame.html").read_text(encoding="utf-8")
    assert not any(mark in template for mark in ("{", "$", "`", "\\"))
    for script in (*(ASSETS / "attention").glob("*.js"), ASSETS / "picks.js"):
        code = script.read_text(encoding="utf-8")
        assert not any(way in code for way in ("innerHTML", "outerHTML", "insertAdjacent", "eval("))
        assert len(code.splitlines()) <= 300


def test_the_colours_of_the_families_are_those_of_the_page() -> None:
    style = (ASSETS / "style.css").read_text(encoding="utf-8")
    assert all(colour in style for colour in FAMILY_COLOURS.values())
