from __future__ import annotations

import base64

import numpy as np
import pytest

from components.tasks.embeddings import EmbeddingsResult, Loud
from components.views import embeddings as views

STATES = np.random.default_rng(2).normal(size=(3, 4, 16)).astype(np.float32)


LOUD = Loud(7, 3)


def result_of(loud: Loud = LOUD) -> EmbeddingsResult:
    return EmbeddingsResult(
        model_id="bert-mini",
        text="a <b>",
        tokens=("<s>", "a", "<b>", "</s>"),
        special=(True, False, False, True),
        states=STATES,
        loud=loud,
        notices=("A <i>notice</i>.",),
    )


def test_the_shape_is_written_as_the_module_prints_it() -> None:
    assert "torch.Size([1, 4, 16])" in views.shape(result_of())
    finding = views.finding(result_of())
    assert "4 × 16 numbers: 16 for each of its 4 tokens" in finding
    assert "<i>" not in finding


def test_the_loudest_number_is_told_only_when_it_repeats() -> None:
    assert "number 7 is farthest from zero in 3 of 4 tokens" in views.loud(result_of())
    assert views.loud(result_of(Loud(7, 1))) == ""


def test_what_is_drawn_are_the_numbers_to_four_digits() -> None:
    drawn = views.strips(result_of())
    values = np.frombuffer(base64.b64decode(drawn["values"]), "<i2").reshape(STATES.shape)
    peaks = np.array(drawn["peaks"])
    np.testing.assert_allclose(values / 32_767 * peaks[:, None, None], STATES, atol=1e-4)
    assert drawn["tokens"] == ["<s>", "a", "<b>", "</s>"]
    assert drawn["steps"] == ["Embeddings", "Layer 1", "Layer 2"]
    full = np.array(drawn["full"])
    assert (full <= peaks).all()
    assert np.mean(np.abs(STATES) > full[:, None, None]) == pytest.approx(0.01, abs=0.01)


def test_the_table_and_the_file_hold_the_last_layer() -> None:
    rows = views.table(result_of())
    assert [len(row) for row in rows] == [len(views.HEADERS)] * 4
    assert rows[1][:2] == [1, "a"]
    assert float(rows[2][3]) == pytest.approx(float(STATES[-1, 2, 0]), abs=1e-4)
    assert float(rows[2][2]) == pytest.approx(float(np.linalg.norm(STATES[-1, 2])), abs=1e-3)
    link = views.download(result_of())
    content = base64.b64decode(link.split("base64,")[1].split('"')[0]).decode("utf-8-sig")
    cells = content.splitlines()[3].split(",")
    assert cells[1] == "<b>"
    np.testing.assert_allclose([float(c) for c in cells[2:]], STATES[-1, 2], atol=1e-5)


def test_programs_get_the_layer_they_asked_for() -> None:
    found = views.numbers(result_of(), 1)
    np.testing.assert_allclose(found["vectors"], STATES[1], atol=1e-6)
    assert found["shape"] == [1, 4, 16]
