"""Tab and Page, and wire(), the one way to attach a tab; its controls are in controls.py."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import gradio as gr

from components.config import MAX_PASSAGE
from components.errors import NEVER_CAUGHT, AppError
from components.models.families import Task
from components.models.manager import ModelManager
from components.tabs.controls import Examples
from components.tabs.endpoint import plain_errors, well_formed
from components.tabs.first_screen import Drawn, FirstScreen
from components.tabs.stopping import Runs
from components.tabs.ways import Goal, Ways
from components.tasks.rooms import Rooms
from components.tasks.words import with_mask
from components.views import markup, page

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

logger = logging.getLogger(__name__)

_MODEL_RUNS = "model"  # every event that runs a network shares one limit
_MODEL_RUNS_LIMIT = 32  # what comes together is run together; passes have a limit of their own
_RUNS = {"concurrency_id": _MODEL_RUNS, "concurrency_limit": _MODEL_RUNS_LIMIT}
_progress: ContextVar[gr.Progress | None] = ContextVar("progress", default=None)
# Read from the page, not from the event: while one event is pending Gradio drops the next one, or
# sends it again with the data of the first, so that of two quick clicks the wrong one would count.
_PRESSED = "() => Number(document.querySelector('#%s [aria-pressed=true]').dataset.value)"
_LONGEST = MAX_PASSAGE  # characters of the longest text that can be clicked on


@dataclass(frozen=True, slots=True)
class Page:
    """The page that tabs are built into."""

    demo: gr.Blocks
    models: ModelManager
    status: gr.HTML
    runs: Runs = field(default_factory=Runs)
    ways: Ways = field(default_factory=Ways)  # from tab to tab
    rooms: Rooms = field(default_factory=Rooms)  # of classes

    def model(self, model_id: str, task: Task, *, attentions: bool = False) -> LoadedModel:
        """Give a model, telling the visitor who waits for it how far it is."""
        if not self.models.is_loaded(model_id, task, attentions=attentions):
            self.tell(f"Loading {model_id}", 0.1)
        return self.models.get(model_id, task, attentions=attentions, tell=self.tell)

    def tell(self, message: str, done: float) -> None:
        """Tell the visitor who waits what is going on; `done` is the share that is behind.

        Raises StoppedError when he has pressed Stop since the run began.
        """
        progress = _progress.get()
        if progress is not None:
            self.runs.check(progress)
            progress(done, desc=message)


@dataclass(frozen=True, slots=True)
class Tab:
    """One tab: `id` is its module's name and that of its public endpoint.

    A tab may be a part of another: `within` is the id of that one, which then shows a row of
    tabs of its own, itself first. `short` is what stands on a tab of that row.
    """

    id: str
    title: str
    build: Callable[[Page], None]
    within: str = ""
    short: str = ""
    needs: Task | None = None  # shown where a model that ships has a head for it

    @property
    def label(self) -> str:
        """What stands on it in the row of a tab that has parts."""
        return self.short or self.title


def wire(
    page: Page,
    tab: Tab,
    triggers: Sequence[Any],
    run: Callable[..., Any],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    *,
    endpoint: Callable[..., Any],
    edits: gr.Textbox | None = None,
    picks: Sequence[tuple[gr.HTML, Any]] = (),
    examples: Examples | None = None,
    after: Sequence[Any] = (),
    goal: Goal | None = None,
    endpoint_runs: Mapping[str, Any] | None = None,
) -> list[Any]:
    """Attach a tab: its triggers, its first screen, its clicks on the text, its public endpoint.

    The first of `outputs` is the finding (`finding_view`): it asks for the first screen when the
    tab is first shown, and a refusal is shown there; what was typed always stays,
    and so does a control that stands in `outputs`. `run` maps the values of `inputs` to those of
    `outputs`. `edits` is the text that clicks in the outputs change; `picks` are views with the
    control that takes the data-value of their pressed button; `after` are events of the tab's own
    that change the inputs, and that a run follows; `goal` says how to arrive from other tabs, see
    `ways`. `endpoint` is a typed, documented function that answers programs, in its turn with all
    runs unless `endpoint_runs` says otherwise. Gives the runs, for `follow`.
    """
    shown = [*outputs, page.status]
    defaults = [component.value for component in inputs]
    first = FirstScreen(lambda: _drawn(run, defaults, outputs))
    handler = _handler(page, run, inputs, outputs, first)
    shared = _options(outputs)
    runs = [gr.on(list(triggers), handler, list(inputs), shown, **shared)]
    glue: dict[str, Any] = {"queue": False, "api_visibility": "private"}
    changes = [examples.chosen(**glue)] if examples else []
    changes += after
    if edits is not None:
        views = [o for o in outputs if isinstance(o, gr.HTML) and all(o is not p for p, _ in picks)]
        changes += [view.select(edited, edits, edits, **glue) for view in views]
    changes += [
        view.select(None, None, control, js=_PRESSED % view.elem_id, **glue)
        for view, control in picks
    ]
    runs += [change.then(handler, list(inputs), shown, **shared) for change in changes]
    if goal is not None:
        page.ways.arrive(
            tab.id, goal, lambda moved: moved.then(handler, list(inputs), shown, **shared)
        )
    outputs[0].first_shown(
        lambda: [*first.values(), _status(page)], None, shown, show_progress="hidden", **glue
    )
    gr.events.api(
        plain_errors(endpoint),
        api_name=tab.id,
        **(endpoint_runs or _RUNS),
    )
    return runs


def follow(
    page: Page,
    events: Sequence[Any],
    run: Callable[..., Any],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
) -> None:
    """Let `run` follow each of `events`: it draws a part of the tab that needs no whole run.

    The first of `outputs` says what was found, or what was wrong.
    """
    handler = _handler(page, run, inputs, outputs)
    for event in events:
        event.then(handler, list(inputs), [*outputs, page.status], **_options(outputs))


def _options(outputs: Sequence[Any]) -> dict[str, Any]:
    """Give what every event that runs a network is attached with."""
    return {
        **_RUNS,
        "api_visibility": "private",
        "trigger_mode": "always_last",  # what was chosen while it ran must not be lost
        "show_progress_on": outputs[0],
    }


class Click(gr.EventData):
    """A click as the browser sent it: `data` may be anything, for anybody can make one up."""

    def __init__(self, target: Any, data: Any) -> None:
        super().__init__(target, data)
        self.data = data


_NO_CLICK = Click(None, None)


def edited(typed: str | None, click: Click = _NO_CLICK) -> Any:
    """Give the text after a click on one of its words or candidates.

    `typed` is what the field holds now: a click on the drawing of an earlier text leaves it
    alone, so that nothing typed is lost, and so does what comes from no click of the page.
    """
    match click.data:
        case {"index": [int(start), int(end)], "value": {"text": str(text), "put": str(put)}}:
            is_current = not text or _same_blanks(text) == _same_blanks(typed or "")
            if is_current and 0 <= start <= end <= len(text) <= _LONGEST:
                return well_formed(text[:start] + put[:_LONGEST] + text[end:])
    return gr.skip()


def _same_blanks(text: str) -> str:
    return with_mask(well_formed(text), "[MASK]")[0]


def _handler(
    page: Page,
    run: Callable[..., Any],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    first: FirstScreen | None = None,
) -> Callable[..., list[Any]]:
    def handle(progress: gr.Progress = gr.Progress(), *values: Any) -> list[Any]:  # noqa: B008
        token = _progress.set(progress)
        try:
            typed = [_typed(value, field) for value, field in zip(values, inputs, strict=True)]
            drawn = _drawn(run, typed, outputs)[1]
            if first is not None:
                first.overtaken()
            return [*drawn, _status(page)]
        finally:
            _progress.reset(token)

    return handle


def _typed(value: Any, field: Any) -> Any:
    """Give what a field holds; an empty text field holds an empty text."""
    return "" if value is None and isinstance(field, gr.Textbox) else well_formed(value)


def _drawn(run: Callable[..., Any], values: Sequence[Any], outputs: Sequence[Any]) -> Drawn:
    """Run a tab: its drawing, or a sentence and no stale result; never both."""
    try:
        drawn = run(*values)
    except BaseException as error:
        if isinstance(error, NEVER_CAUGHT):
            raise
        return False, _instead(sentence_for(error), outputs)
    return True, list(drawn) if isinstance(drawn, tuple) else [drawn]


def sentence_for(error: BaseException) -> str:
    """Say what went wrong; what the visitor cannot put right is logged.

    A panic of the tokenizers, which is no Exception, is among it: else one waits for ever.
    """
    if isinstance(error, AppError):
        return markup.refusal(str(error), error.suggestion)
    logger.error("a tab failed", exc_info=error)
    return markup.failure()


def _instead(message: str, outputs: Sequence[Any]) -> list[Any]:
    typed = gr.components.FormComponent
    cleared = [gr.skip() if isinstance(o, typed) else None for o in outputs[1:]]
    return [message, *cleared]


def _status(shown_on: Page) -> str:
    return page.status_line(shown_on.models.status())
