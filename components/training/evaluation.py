"""Measures every miniature on every task: python -m components.training.evaluation --data DIR.

It reads nothing but the exported folders and the data, so that a rerun gives the same figures. It
writes them into each training.json and card, and all of them into evaluation.json, which is what
the app and the README's table go by.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from components.models.evaluation import FIGURES, TABLE
from components.training.assembly import Places
from components.training.cards import FACTS, Figures, describe, write_card
from components.training.corpus import load_corpora
from components.training.evaluate import Evaluation, Subject, held_out_figures
from components.training.export import GENERATOR
from components.training.loop import find_device
from components.training.networks import Network, load_exported
from components.training.probes import run_probes
from components.training.readme import rewrite
from components.training.recipes import RECIPES, Recipe

CORPORA = ("wikipedia", "vital_leads", "wikinews", "novels", "stories", "masc")
QUICK = Evaluation(64, 64, 160, 160)


def recipe_of(folder: Path) -> Recipe:
    """Give the recipe that a folder was made by."""
    return RECIPES[folder.name.removesuffix(GENERATOR)]


def load(folder: Path) -> Network:
    """Load an exported network with all its heads."""
    kind = recipe_of(folder).family
    kind += GENERATOR if folder.name.endswith(GENERATOR) else ""
    return load_exported(kind, str(folder)).to(find_device())


def measure(folder: Path, places: Places, how: Evaluation) -> None:
    """Measure one exported network; write its training.json and its card."""
    recipe, network = recipe_of(folder), load(folder)
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    cache = places.cache(recipe)
    corpora = load_corpora(places.data, cache, tokenizer, names=CORPORA, held_out=True)
    partner = folder.with_name(folder.name + GENERATOR)
    generator = load(partner) if partner.is_dir() else None
    subject = Subject(network, recipe, tokenizer, corpora, places.data, how, generator)
    figures, probes = held_out_figures(subject), run_probes(network, tokenizer)
    write_card(folder, figures, probes)
    _print(folder.name, figures, probes)


def _print(name: str, figures: Figures, probes: list[dict[str, Any]]) -> None:
    print(name)
    for figure, value in figures.items():
        print(f"{figure:28}{100 * value:6.1f} %")
    for probe in probes:
        print("ok  " if probe["passed"] else "FAIL", *probe["texts"], "->", probe["answers"])


def write_table(models: Path) -> None:
    """Gather the figures of all cards into one table."""
    found = {
        path.parent.name: json.loads(path.read_text(encoding="utf-8"))["figures"]
        for path in sorted(models.glob(f"*/{FACTS}"))
    }
    found = {
        model_id: {name: value for name, value in figures.items() if name in FIGURES}
        for model_id, figures in found.items()
    }
    names = dict.fromkeys(name for figures in found.values() for name in figures)
    table = {"meaning": {name: describe(name) for name in names}, "models": found}
    text = json.dumps(table, indent=2, ensure_ascii=False)
    (models / TABLE).write_text(text + "\n", encoding="utf-8")


def main() -> None:
    """Measure all bundled models, or those named."""
    logging.basicConfig(level=logging.INFO)
    parser = argparse.ArgumentParser(prog="components.training.evaluation", description=__doc__)
    parser.add_argument("model_ids", nargs="*", help="folders to measure; all, if none is named")
    parser.add_argument("--data", type=Path, required=True, help="folder with the open data")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="where caches lie")
    parser.add_argument("--out", type=Path, default=Path("assets/models"))
    parser.add_argument("--readme", type=Path, help="the README whose table is written anew")
    parser.add_argument("--quick", action="store_true", help="measure a small part")
    options = parser.parse_args(sys.argv[1:])
    places = Places(options.data, options.runs, options.out)
    names = options.model_ids or [path.parent.name for path in options.out.glob(f"*/{FACTS}")]
    for name in sorted(names):
        measure(options.out / name, places, QUICK if options.quick else Evaluation())
    write_table(options.out)
    if options.readme:
        rewrite(options.readme, options.out)


if __name__ == "__main__":
    main()
