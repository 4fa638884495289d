"""Ways from one tab to another, with what was typed carried along.

A tab that can be arrived at says so to `wire`, as a Goal; a tab that leads there calls `lead` or
lays out `ways_on`. All are connected when the page is laid out, for goals are built after starts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import gradio as gr

from components.models.families import Task

_OPEN = """(...values) => {{
    document.querySelector('#tab-{goal}-button')?.click();
    window.scrollTo(0, 0);
    {more}
    return values;
}}"""
GOALS = (("attention", "See the attention"), ("attribution", "Which words decided?"))


@dataclass(frozen=True, slots=True)
class Carried:
    """What goes along: an input as its task reads it, perhaps a head; all of it as it was typed."""

    task: str
    model_id: str
    texts: tuple[str, str]  # of a question and a passage in this order; the second may be empty
    head: tuple[int, int] | None = None  # layer and head, counted from 0


@dataclass(frozen=True, slots=True)
class Goal:
    """A tab that can be arrived at: where what is carried is put, as values of `outputs`."""

    outputs: Sequence[Any]
    put: Callable[[Carried], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Start:
    """What leads to a goal: an event, and how to read from `inputs` what is carried."""

    goal: str
    event: Callable[..., Any]
    inputs: Sequence[Any]
    read: Callable[..., Carried | None]  # None: nothing to carry
    js: str


@dataclass(frozen=True, slots=True)
class Ways:
    """All ways of a page."""

    starts: list[Start] = field(default_factory=list)
    goals: dict[str, tuple[Goal, Callable[[Any], Any]]] = field(default_factory=dict)

    def lead(
        self,
        goal: str,
        event: Callable[..., Any],
        inputs: Sequence[Any],
        read: Callable[..., Carried | None],
        *,
        js: str = "",
    ) -> None:
        """Let `event` lead to the tab `goal`; `js` may change `values`, the inputs, before."""
        self.starts.append(Start(goal, event, inputs, read, js))

    def arrive(self, tab_id: str, goal: Goal, run: Callable[[Any], Any]) -> None:
        """Make a tab a goal; `run` attaches its run to an event."""
        self.goals[tab_id] = goal, run

    def connect(self) -> None:
        """Connect every start with its goal; those without are left alone."""
        for start in self.starts:
            if start.goal in self.goals:
                goal, run = self.goals[start.goal]
                event = start.event(
                    _mover(start, goal),
                    list(start.inputs),
                    list(goal.outputs),
                    js=_OPEN.format(goal=start.goal, more=start.js),
                    queue=False,
                    api_visibility="private",
                )
                run(event)


def _mover(start: Start, goal: Goal) -> Callable[..., list[Any]]:
    def move(*values: Any) -> list[Any]:
        carried = start.read(*values)
        return [gr.skip() for _ in goal.outputs] if carried is None else list(goal.put(carried))

    return move


def ways_on(
    ways: Ways, tab_id: str, task: Task, model_id: Any, first: Any, second: Any | None = None
) -> None:
    """Lay out what leads on from an answer: its attention, and which words decided.

    `task` is what `model_id` answers; of several texts the first goes along.
    """
    texts = [first] if second is None else [first, second]

    def read(model: str, *typed: str | None) -> Carried:
        one, other = (*(text or "" for text in typed), "")[:2]
        if task is Task.SENTIMENT:  # one text a line, of which the first is taken along
            one = next((line for line in one.splitlines() if line.strip()), "")
        return Carried(task.value, model, (one, other))

    of = " (first text)" if task is Task.SENTIMENT else ""
    with gr.Row(elem_classes="lab-ways"):
        for goal, label in GOALS:
            button = gr.Button(label + of, size="sm", min_width=120, elem_id=f"{tab_id}-to-{goal}")
            ways.lead(goal, button.click, [model_id, *texts], read)
