"""The two models that a pair of sentences is put to: one for each objective."""

from __future__ import annotations

from collections.abc import Mapping

import gradio as gr

from components.models.families import Task
from components.tabs.controls import model_picker

_FEW_KEPT_IT = "Or an id of the Hub: few checkpoints kept this head of ALBERT's. Empty: not asked."


def pickers(tab_id: str) -> tuple[gr.Dropdown, gr.Dropdown]:
    """Offer a model for next sentence and one for sentence order.

    Where no bundled model has a head, its picker begins empty.
    """
    return (
        model_picker(tab_id, Task.NEXT_SENTENCE, label="Model for next sentence"),
        model_picker(
            tab_id,
            Task.SENTENCE_ORDER,
            name="order",
            label="Model for sentence order",
            info=_FEW_KEPT_IT,
        ),
    )


def asked(follows: str | None, order: str | None) -> Mapping[Task, str]:
    """Give the chosen model of each objective; one that was left empty is not asked."""
    chosen = {Task.NEXT_SENTENCE: follows or "", Task.SENTENCE_ORDER: order or ""}
    return {task: model_id for task, model_id in chosen.items() if model_id} or chosen
