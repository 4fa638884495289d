from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path

import pytest

from components.errors import InputError
from components.models.catalog import CATALOG
from components.models.choices import CHOICES, Need
from components.models.families import FAMILIES
from components.tasks import families

FIGURES = {
    "meaning": {"questions_f1": "Of questions.", "sentiment": "Of reviews.", "extra": "Of more."},
    "models": {
        "bert-mini": {"sentiment": 0.8, "questions_f1": 0.7},
        "deberta-mini": {"extra": 0.5, "questions_f1": 0.75},
    },
}


@pytest.fixture(scope="module")
def models_dir(tiny_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny miniatures with figures, RoBERTa's files left out."""
    folder = tmp_path_factory.mktemp("measured") / "models"
    shutil.copytree(tiny_dir, folder, ignore=shutil.ignore_patterns("roberta-mini"))
    (folder / "evaluation.json").write_text(json.dumps(FIGURES))
    return folder


@pytest.mark.parametrize("need", Need)
def test_every_need_is_answered_with_a_first_and_a_second_family(
    models_dir: Path, need: Need
) -> None:
    result = families.predict(models_dir, need.value)
    assert [pick.model_type for pick in result.picks] == [p.model_type for p in CHOICES[need].picks]
    assert result.picks[0].name in result.headline
    assert all(pick.name == FAMILIES[pick.model_type].name for pick in result.picks)
    assert [one.model_id for one in result.miniatures] == [card.id for card in CATALOG]
    json.dumps(asdict(result))  # as the endpoint gives it


def test_what_is_small_comes_first_where_little_is_wanted(models_dir: Path) -> None:
    (disk,) = families.predict(models_dir, Need.DOWNLOAD.value).evidence
    values = [row.value for row in disk.rows]
    assert values == sorted(values)
    assert disk.rows[0].model_id == "albert-mini"
    files = {row.model_id: int(row.value) for row in disk.rows}
    size = (models_dir / "albert-mini/model.safetensors").stat().st_size
    assert files["albert-mini"] == size


def test_what_is_right_most_often_comes_first_where_accuracy_is_wanted(models_dir: Path) -> None:
    questions, sentiment = families.predict(models_dir, Need.ACCURACY.value).evidence
    assert [(r.model_id, r.value) for r in questions.rows] == [
        ("deberta-mini", 0.75), ("bert-mini", 0.7),
    ]  # fmt: skip
    assert [row.model_id for row in sentiment.rows] == ["bert-mini"]
    assert questions.meaning == "Of questions."


def test_what_was_not_measured_is_no_evidence(tiny_dir: Path, models_dir: Path) -> None:
    assert families.predict(tiny_dir, Need.ACCURACY.value).evidence == ()
    assert families.predict(tiny_dir, Need.ACCURACY.value).figures == ()
    assert families.predict(models_dir, Need.TRAINING.value).evidence == ()


def test_a_model_whose_files_are_missing_leaves_the_others_standing(models_dir: Path) -> None:
    result = families.predict(models_dir, Need.DOWNLOAD.value)
    missing = [one.model_id for one in result.miniatures if one.anatomy is None]
    assert missing == ["roberta-mini"]
    assert "roberta-mini" not in {row.model_id for row in result.evidence[0].rows}


def test_figures_are_listed_once_in_one_order(models_dir: Path) -> None:
    result = families.predict(models_dir, Need.DOWNLOAD.value)
    assert [figure.name for figure in result.figures] == ["sentiment", "questions_f1", "extra"]


@pytest.mark.parametrize("need", ["", "fame", "<b>", "x" * 500, None, 7])
def test_a_need_that_is_not_on_the_list_is_refused(tiny_dir: Path, need: object) -> None:
    with pytest.raises(InputError, match="small-download") as error:
        families.predict(tiny_dir, need)  # type: ignore[arg-type]
    assert len(str(error.value)) < 300
