"""The documents name what there is, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from components.models.catalog import CATALOG
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
    assert rows == [card.id for card in CATALOG]


def test_the_readme_gives_the_figures_that_were_measured() -> None:
    for card in CATALOG:
        folder = ROOT / "assets/models" / card.id
        figures = json.loads((folder / "training.json").read_text(encoding="utf-8"))["figures"]
        named = ("all_masked_wikipedia", "masked_wikipedia", "sentiment", "questions_f1")
        row = next(line for line in README.splitlines() if line.startswith(f"| [{card.id}]"))
        for name in named:
            assert f"{100 * figures[name]:.1f} %" in row, name


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


def test_modules_stay_short() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in (ROOT / "components").rglob("*.py")
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 300
    }
    assert long == {}
