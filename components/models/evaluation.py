"""The evaluation table: what was measured of the bundled models, on data they did not train on.

`evaluation.json` lies beside the models: {"meaning": {figure: what was measured on what},
"models": {model id: {figure: value between 0 and 1}}}. A model or a figure that is not in it was
not measured.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TABLE = "evaluation.json"

# What each figure is called where there is little room; its meaning stands in the file.
FIGURES: Mapping[str, str] = {
    "whole_words": "Hidden words, first guess",
    "all_masked_wikipedia": "Hidden tokens, first guess",
    "masked_wikipedia": "Hidden tokens, as BERT's authors count",
    "pairs_other": "Next sentence, other article",
    "pairs_same": "Next sentence, same article",
    "sentence_order": "Sentence order",
    "replaced_auc": "Replaced tokens, area under the curve",
    "sentiment": "Sentiment (SST-2)",
    "questions_f1": "Questions (SQuAD), F1",
    "questions_dev_f1": "Questions (SQuAD development), F1",
    "entities_wikigold_f1": "Named entities (WikiGold), F1",
    "entities_wnut_f1": "Named entities (WNUT-17), F1",
    "no_answer_auc": "“No answer here”, area under the curve",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: its name in the file, how it is called, and what was measured on what."""

    name: str
    label: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The whole table."""

    meanings: Mapping[str, str] = field(default_factory=dict)  # by figure
    models: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # by id, by figure

    def value(self, model_id: str, figure: str) -> float | None:
        """Give a figure between 0 and 1, or None where it was not measured."""
        return self.models.get(model_id, {}).get(figure)

    def of(self, model_id: str) -> Mapping[str, float]:
        """Give what was measured of a model: FIGURES in their order, then any others."""
        measured = self.models.get(model_id, {})
        return {name: measured[name] for name in (*FIGURES, *measured) if name in measured}

    def figure(self, name: str) -> Figure:
        """Describe a figure."""
        label = FIGURES.get(name, name.replace("_", " "))
        return Figure(name, label, self.meanings.get(name, label))

    def first_measured(self, figures: Iterable[str], model_ids: Iterable[str]) -> Figure | None:
        """Give the first of `figures` that was measured of any of the models, or None.

        Models are compared by one and the same figure, or not at all.
        """
        known = [self.models.get(model_id, {}) for model_id in model_ids]
        names = (name for name in figures if any(name in measured for measured in known))
        return next(map(self.figure, names), None)


def read_evaluation(models_dir: Path) -> Evaluation:
    """Read the table of a folder of models; empty where there is none.

    Raises ValueError for a table that cannot be: a figure outside 0 to 1, or without a meaning.
    """
    path = models_dir / TABLE
    if not path.is_file():
        return Evaluation()
    content: Any = json.loads(path.read_text(encoding="utf-8"))
    for model_id, measured in content["models"].items():
        for name, value in measured.items():
            if type(value) not in (int, float) or not 0 <= value <= 1:
                raise ValueError(f"{path}: {name} of {model_id} is {value!r}, not from 0 to 1")
            if not content["meaning"].get(name):
                raise ValueError(f"{path}: {name} of {model_id} has no meaning")
    return Evaluation(content["meaning"], content["models"])
