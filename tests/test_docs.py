"""The documents name what there is, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from components.models.anatomy import read_anatomy
from components.models.catalog import SHIPPED, find_card
from components.models.evaluation import FIGURES, read_evaluation
from components.tabs import TABS
from tests.pages import full_title

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BUILDING = (ROOT / "components/README.md").read_text(encoding="utf-8")


def _commands() -> list[str]:
    return re.findall(r"```sh\n(.*?)```", README, re.DOTALL)


def test_the_readme_has_a_row_for_every_tab_and_no_other() -> None:
    assert re.findall(r"^\| \*\*(.+?)\*\* \| `(\w+)`", README, re.MULTILINE) == [
        (full_title(tab), tab.id) for tab in TABS
    ], "README.md needs a row | **title** | `id` | for each of TABS (**tab · part** for a part)"


def test_the_readme_has_a_row_for_every_bundled_model_and_no_other() -> None:
    rows = re.findall(r"^\| \[([\w-]+)\]\(assets/models/", README, re.MULTILINE)
    assert rows == [card.id for card in SHIPPED]


# The columns of README's table of models that hold figures of the evaluation table.
COLUMNS = {
    "whole words": "whole_words",
    "masked words, first guess: all hidden": "all_masked_wikipedia",
    "… as BERT's authors count": "masked_wikipedia",
    "next sentence, other article": "pairs_other",
    "sentence order": "sentence_order",
    "replaced tokens, area under the curve": "replaced_auc",
    "SST-2 dev": "sentiment",
    "SQuAD 1.1 F1, held-out titles": "questions_f1",
}
EVALUATION = read_evaluation(ROOT / "assets/models")
every_measured = pytest.mark.parametrize("model_id", EVALUATION.models)


def _rows() -> dict[str, dict[str, str]]:
    """README's table of models: cells by heading, by model."""
    lines = [line for line in README.splitlines() if line.startswith("| ")]
    head = next(i for i, line in enumerate(lines) if line.startswith("| model |"))
    headings = _cells(lines[head])
    rows = [_cells(line) for line in lines[head:] if line.startswith("| [")]
    return {
        re.sub(r"\[([\w-]+)\].*", r"\1", row[0]): dict(zip(headings, row, strict=True))
        for row in rows
    }


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("| ").split(" | ")]


@every_measured
def test_the_readme_gives_the_figures_of_the_evaluation_table(model_id: str) -> None:
    row = _rows()[model_id]
    for heading, figure in COLUMNS.items():
        value = EVALUATION.value(model_id, figure)
        shown = row.get(heading, "–")
        assert shown == ("–" if value is None else f"{100 * value:.1f} %"), heading


@every_measured
def test_the_readme_gives_the_sizes_of_the_files(model_id: str) -> None:
    card = find_card(model_id)
    assert card is not None
    anatomy = read_anatomy(ROOT / "assets/models", card)
    assert anatomy is not None
    row = _rows()[model_id]
    assert row["parameters"] == f"{anatomy.parameters / 1e6:.1f} M"
    assert row["layers × width"] == f"{anatomy.layers} × {anatomy.width}"
    assert row["family"] == card.family.name


@every_measured
def test_the_cards_and_the_evaluation_table_agree(model_id: str) -> None:
    folder = ROOT / "assets/models" / model_id
    figures = json.loads((folder / "training.json").read_text(encoding="utf-8"))["figures"]
    measured = EVALUATION.models[model_id]
    both = measured.keys() & figures.keys()
    assert {name: measured[name] for name in both} == {name: figures[name] for name in both}
    assert figures.keys() & FIGURES.keys() <= measured.keys()
    card = (folder / "README.md").read_text(encoding="utf-8")
    for name in figures:
        assert f"{100 * figures[name]:.1f} %" in card, name


def test_every_bundled_model_with_a_card_is_in_the_evaluation_table() -> None:
    carded = {path.parent.name for path in (ROOT / "assets/models").glob("*/training.json")}
    assert carded == set(EVALUATION.models)


def test_two_commands_set_up_and_start_or_test() -> None:
    start, check = _commands()[:2]
    assert start.strip().endswith("app.py")
    assert check.strip().endswith("-m tests")


@pytest.mark.parametrize("text", [README, BUILDING], ids=["README", "components/README"])
def test_every_path_it_names_exists(text: str) -> None:
    named = set(re.findall(r"`((?:[\w.-]+/)+[\w.-]*\w)`", text))
    named |= set(re.findall(r"\]\((?!http)([^)#]+)\)", text))
    for path in named:
        if "X" in path or "ID" in path or "{" in path:
            continue
        places = (ROOT / path, ROOT / "components" / path)
        assert any(place.exists() for place in places), path


def test_the_settings_of_a_space_agree_with_what_is_required() -> None:
    settings = dict(re.findall(r"^(\w+): (.+)$", README.split("---")[1], re.MULTILINE))
    required = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert f"gradio=={settings['sdk_version']}\n" in required
    assert settings["sdk"] == "gradio"
    assert (ROOT / settings["app_file"]).exists()
    assert len(settings["short_description"]) <= 60  # the Hub refuses longer ones


def test_modules_stay_short() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in (ROOT / "components").rglob("*.py")
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 300
    }
    assert long == {}
