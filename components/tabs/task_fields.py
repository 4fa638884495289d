"""A choice of task, each with fields of its own: those of the chosen one are shown."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from components.config import MAX_TEXT
from components.models.families import Task
from components.tabs.controls import Examples, examples, text_box


@dataclass(frozen=True, slots=True)
class Field:
    """A text that a task needs: its name in what the task is given, and how it is asked for."""

    name: str
    label: str
    default: str
    lines: int = 2
    limit: int = MAX_TEXT  # characters


@dataclass(frozen=True, slots=True)
class Panel:
    """How a task is offered: its name, what it asks for, and examples, one value a field."""

    title: str
    fields: tuple[Field, ...]
    examples: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class TaskFields:
    """The choice of task, and the fields of every task, in the order of its panels."""

    tab_id: str
    panels: Mapping[Task, Panel]
    task: gr.Radio
    fields: Mapping[Task, Sequence[Any]]  # the texts of a task first
    columns: Mapping[Task, gr.Column]  # of which that of the chosen task is shown

    @property
    def flat(self) -> list[Any]:
        """All fields, task by task: inputs of an event."""
        return list(itertools.chain.from_iterable(self.fields.values()))

    @property
    def texts(self) -> list[gr.Textbox]:
        """All fields that a text is typed into."""
        return [one for one in self.flat if isinstance(one, gr.Textbox)]

    def chosen(self, task: str, values: Sequence[Any]) -> tuple[dict[str, str], list[Any]]:
        """Take from the values of `flat` the texts of `task` by name, and its other values.

        Of a task that is not offered nothing is there.
        """
        rest = iter(values)
        for offered, fields in self.fields.items():
            own = [next(rest) for _ in fields]
            if offered == task:
                names = [field.name for field in self.panels[offered].fields]
                return dict(zip(names, own, strict=False)), own[len(names) :]
        return {}, []

    @property
    def arrivals(self) -> list[Any]:
        """What `put` gives values of."""
        return [self.task, *self.columns.values(), *self.flat]

    def put(self, task: str, first: str, second: str, model_id: str) -> list[Any]:
        """Choose `task`, and fill its texts and the picker of its model from elsewhere."""
        values: list[Any] = []
        for offered, fields in self.fields.items():
            texts = (first, second)[: len(fields) - 1]
            values += [*texts, model_id] if offered == task else [gr.skip() for _ in fields]
        return [task, *self.shown(task), *values]

    def shown(self, task: str) -> list[Any]:
        """Give for each column whether it is that of `task`."""
        return [gr.update(visible=offered == task) for offered in self.columns]

    def examples(self) -> Examples:
        """Offer the examples of all tasks; one chooses its task, and leaves other tasks' texts."""
        texts = {t: self.fields[t][: len(self.panels[t].fields)] for t in self.panels}
        rows, labels = [], []
        for offered, panel in self.panels.items():
            for given in panel.examples:
                others = {t: given if t is offered else [None] * len(texts[t]) for t in texts}
                rows.append([offered.value, *itertools.chain.from_iterable(others.values())])
                labels.append(f"{panel.title}: {given[0]}")
        filled = [self.task, *itertools.chain.from_iterable(texts.values())]
        return examples(self.tab_id, filled, rows, labels)


def task_fields(
    tab_id: str, panels: Mapping[Task, Panel], more: Callable[[Task], Sequence[Any]]
) -> TaskFields:
    """Lay out the choice of task, and for each its texts, and the controls that `more` makes."""
    choices = [(panel.title, task.value) for task, panel in panels.items()]
    task = gr.Radio(
        choices, value=choices[0][1], label="Task", interactive=True, elem_id=f"{tab_id}-task"
    )
    columns: dict[Task, gr.Column] = {}
    fields: dict[Task, list[Any]] = {}
    for offered, panel in panels.items():
        with gr.Column(visible=offered == task.value) as columns[offered]:
            fields[offered] = [*_texts(tab_id, offered, panel), *more(offered)]
    made = TaskFields(tab_id, panels, task, fields, columns)
    task.change(made.shown, task, list(columns.values()), queue=False, api_visibility="private")
    return made


def _texts(tab_id: str, task: Task, panel: Panel) -> list[gr.Textbox]:
    return [
        text_box(
            tab_id,
            f"{task}-{field.name}",
            field.default,
            field.label,
            lines=field.lines,
            max_lines=12,
            max_length=field.limit,
        )
        for field in panel.fields
    ]
