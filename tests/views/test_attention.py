from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from components.config import ASSETS
from components.tasks.attention import AttentionResult, Share
from components.views import attention as views
from components.views.palette import FAMILY_COLOURS

TOKENS = ("<s>", "the", "cat", "the", "<b>mat</b>", "</s>")
SHARES = (Share("previous", "", 0.61, 0.14), Share("itself", "", 0.2, 0.17))


def result_of(
    tokens: tuple[str, ...] = TOKENS,
    heads: int = 3,
    window: tuple[int, int] | None = None,
    **changes: Any,
) -> AttentionResult:
    rng = np.random.default_rng(1)
    weights = rng.random((heads, len(tokens), len(tokens)), dtype=np.float32) ** 4
    made = AttentionResult(
        model_id="bert-mini",
        layer=2,
        head=1,
        layers=6,
        heads=heads,
        tokens=tokens,
        sequence_ids=(None, *[0] * (len(tokens) - 2), None),
        weights=weights / weights.sum(axis=-1, keepdims=True),
        window=window or (0, len(tokens)),
        shares=SHARES,
        notices=(),
    )
    return replace(made, **changes)


def decoded(text: str) -> np.ndarray:
    return (np.frombuffer(base64.b64decode(text), np.uint8) / 255) ** 2


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        (SHARES, "looks mostly at the previous token (61.0 % of its attention)"),
        ((Share("separator", "</s>", 0.4, 0.1),), "looks most often at &lt;/s&gt; (40.0 %"),
        ((Share("word", "<b>", 0.6, 0.1),), "looks mostly at “&lt;b&gt;” (60.0 %"),
        ((Share("itself", "", 0.2, 0.17),), "spreads its attention evenly"),
        # half of the attention is no finding where half of the tokens are meant
        ((Share("other text", "", 0.5, 0.45), SHARES[1]), "spreads its attention evenly"),
    ],
)
def test_the_finding_says_where_the_head_looks(shares: tuple[Share, ...], words: str) -> None:
    drawn = views.finding(result_of(shares=shares))
    assert "Head 1 of layer 2" in drawn
    assert words in drawn


def test_a_row_that_is_cut_is_said_to_sum_to_less() -> None:
    assert "no longer sums to one" not in views.finding(result_of())
    cut = result_of(window=(1, 4))
    assert "Tokens 1 to 3 of 6 are drawn" in views.finding(cut)
    rest = 1 - cut.weights[1, 1:4, 1:4].sum(axis=-1).mean()
    assert f"on average {100 * rest:.1f} %" in views.finding(cut)


@pytest.mark.parametrize("window", [(0, 6), (2, 5)])
def test_the_bytes_of_the_picture_are_the_weights(window: tuple[int, int]) -> None:
    result = result_of(window=window)
    data = views.picture(result)
    size = window[1] - window[0]
    assert data["tokens"] == list(TOKENS[slice(*window)])
    assert len(data["special"]) == size
    weights = decoded(data["weights"]).reshape(3, size, size)
    np.testing.assert_allclose(weights, result.shown, atol=0.004)
    np.testing.assert_allclose(decoded(data["outside"]), result.outside.ravel(), atol=0.004)


def test_the_heat_map_has_a_place_for_every_token_and_the_first_on_top() -> None:  # H34, H03
    figure = views.heat_map(result_of())
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert list(axis.tickvals) == [0, 1, 2, 3, 4, 5]
        assert axis.ticktext[1] == axis.ticktext[3] == "the"
        assert axis.ticktext[0] == "&lt;s&gt;"  # Plotly takes <s> for a tag and drops it
    assert figure.layout.yaxis.autorange == "reversed"
    np.testing.assert_array_equal(figure.data[0].z, result_of().weights[1])
    assert figure.data[0].z.dtype == np.float32
    assert "<b>" not in json.dumps(figure.to_plotly_json()["data"][0]["text"])
    assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"


def test_a_full_window_of_a_large_model_stays_below_two_megabytes() -> None:  # H35
    tokens = ("[CLS]", *(f"##tokens{i}" for i in range(510)), "[SEP]")
    result = result_of(tokens, heads=24, window=(100, 228))
    sent = [
        json.dumps(views.picture(result)),
        views.heat_map(result).to_json(),
        views.finding(result),
        views.shares(result),
        json.dumps(views.table(result)),
    ]
    assert sum(len(part.encode()) for part in sent) < 2_000_000
    assert len(json.dumps(views.numbers(result))) < 2_000_000


def test_the_table_lists_the_strongest_links_first() -> None:
    result = result_of()
    rows = views.table(result)
    assert len(rows) == 36
    assert all(len(row) == len(views.HEADERS) for row in rows)
    i, token, j, other, _ = rows[0]
    assert result.weights[1, i, j] == result.weights[1].max()  # type: ignore[index]
    assert (token, other) == (TOKENS[i], TOKENS[j])  # type: ignore[index]


def test_shares_are_drawn_with_their_numbers_and_escaped() -> None:  # H38
    drawn = views.shares(result_of(shares=(*SHARES, Share("word", "<img src=x>", 0.1, 0.1))))
    assert "previous token" in drawn
    assert "61.0 %" in drawn
    assert "<img" not in drawn


def test_programs_get_plain_numbers() -> None:
    answer = views.numbers(result_of(window=(1, 4)))
    assert json.loads(json.dumps(answer)) == answer
    sums = np.sum(answer["weights"], axis=1) + answer["outside"]
    np.testing.assert_allclose(sums, 1, atol=1e-4)


def test_the_template_evaluates_nothing() -> None:  # H38: Gradio runs {{ }} and ${ } as code
    template = (ASSETS / "attention.html").read_text(encoding="utf-8")
    script = (ASSETS / "attention.js").read_text(encoding="utf-8")
    assert not any(mark in template for mark in ("{", "$", "`", "\\"))
    assert "innerHTML" not in script


def test_the_colours_of_the_families_are_those_of_the_page() -> None:
    style = (ASSETS / "style.css").read_text(encoding="utf-8")
    assert all(colour in style for colour in FAMILY_COLOURS.values())
