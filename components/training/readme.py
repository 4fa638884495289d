"""The README's table of models, written from what was measured."""

from __future__ import annotations

from pathlib import Path

from components.models.anatomy import read_anatomy
from components.models.catalog import SHIPPED, ModelCard
from components.models.evaluation import Evaluation, read_evaluation

COLUMNS = {  # heading -> figure
    "whole words": "whole_words",
    "masked words, first guess: all hidden": "all_masked_wikipedia",
    "… as BERT's authors count": "masked_wikipedia",
    "next sentence, other article": "pairs_other",
    "sentence order": "sentence_order",
    "replaced tokens, area under the curve": "replaced_auc",
    "SST-2 dev": "sentiment",
    "SQuAD 1.1 F1, held-out titles": "questions_f1",
}
HEADINGS = ("model", "family", "layers × width", "parameters", *COLUMNS)


def table(models: Path) -> list[str]:
    """Give the lines of the table, a row for every bundled model in the catalog's order."""
    evaluation = read_evaluation(models)
    rows = [HEADINGS, ("---",) * len(HEADINGS)]
    rows += [_row(card, models, evaluation) for card in SHIPPED]
    return [f"| {' | '.join(row)} |" for row in rows]


def _row(card: ModelCard, models: Path, evaluation: Evaluation) -> tuple[str, ...]:
    anatomy = read_anatomy(models, card)
    assert anatomy is not None, card.id
    values = [evaluation.value(card.id, figure) for figure in COLUMNS.values()]
    return (
        f"[{card.id}](assets/models/{card.id}/README.md)",
        card.family.name,
        f"{anatomy.layers} × {anatomy.width}",
        f"{anatomy.parameters / 1e6:.1f} M",
        *("–" if value is None else f"{100 * value:.1f} %" for value in values),
    )


def rewrite(readme: Path, models: Path) -> None:
    """Put the table in the place of the one that stands in the README."""
    lines = readme.read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("| model |"))
    after = next(i for i in range(first, len(lines)) if not lines[i].startswith("|"))
    text = "\n".join([*lines[:first], *table(models), *lines[after:]])
    readme.write_text(text + "\n", encoding="utf-8")
