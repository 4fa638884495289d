"""A training as its visitor watches it: the place in the line, the curves, what came of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, fields
from typing import Any

import gradio as gr

from components.errors import NEVER_CAUGHT, InputError
from components.models.manager import ModelManager
from components.models.shelf import Shelf
from components.tabs.base import sentence_for
from components.tabs.trainings import Asked, Trained, Training
from components.training.line import Line
from components.training.progress import Moment
from components.views import fine_tune as views
from components.views import fine_tune_charts as charts
from components.views import fine_tune_tables as tables

LOOKS = 1.0  # seconds between two looks at one's place in the line
_EVERY = 0.8  # seconds between two drawings

Drawn = dict[Any, Any]  # what changes on the page, by component


@dataclass(frozen=True, eq=False)
class Screen:
    """The components that a training changes."""

    finding: gr.HTML
    before: gr.HTML
    live: gr.Column
    curves: gr.Plot
    done: gr.Column
    came: gr.HTML
    flat: gr.Plot
    map_note: gr.HTML
    passes: gr.Dataframe
    table: gr.Dataframe
    token: gr.Textbox
    ticket: gr.Textbox
    stop: gr.Button
    file: gr.DownloadButton
    answers: gr.HTML
    packed: gr.HTML

    def components(self) -> list[Any]:
        """Give them all."""
        return [getattr(self, field.name) for field in fields(self)]


@dataclass(frozen=True, eq=False)
class Stream:
    """Trains for one visitor after the other, and draws what goes on."""

    models: ModelManager
    line: Line
    shelf: Shelf[Trained]
    screen: Screen

    async def train(
        self,
        lines: str,
        upload: bytes | None,
        text: str,
        model_id: str,
        part: str,
        epochs: int,
        rate: str,
    ) -> AsyncIterator[Drawn]:
        """Check, stand in line, train; what goes wrong is said in words."""
        screen, ticket = self.screen, ""
        try:
            asked = Asked.read(model_id, lines, upload, text, part, epochs, rate)
            ticket = self.line.join()
            yield {screen.ticket: ticket, screen.stop: gr.Button(interactive=True)}
            async for place in self._in_line(ticket):
                yield {screen.finding: views.waiting(place)}
            async for drawn in self._watched(asked, ticket):
                yield drawn
        except BaseException as error:
            if isinstance(error, (*NEVER_CAUGHT, asyncio.CancelledError)):
                raise
            hidden = gr.Column(visible=False)
            yield {
                screen.finding: sentence_for(error),
                screen.before: "",
                screen.live: hidden,
                screen.done: hidden,
            }
        finally:
            self.line.leave(ticket)
        yield {screen.stop: gr.Button(interactive=False), screen.ticket: ""}

    async def _in_line(self, ticket: str) -> AsyncIterator[int]:
        """Give the place in the line now and then, until it is the visitor's turn."""
        while place := self.line.place(ticket):
            if self.line.is_stopped(ticket):
                raise InputError(
                    "You left the line, and nothing was trained. “Train” joins it again."
                )
            yield place
            await asyncio.sleep(LOOKS)

    async def _watched(self, asked: Asked, ticket: str) -> AsyncIterator[Drawn]:
        screen = self.screen
        yield {screen.finding: views.loading(asked.model_id), screen.before: ""}
        training = Training(self.models, asked, lambda: self.line.is_stopped(ticket))
        steps = training.run()
        more: Drawn = {screen.live: gr.Column(visible=True), screen.done: gr.Column(visible=False)}
        while await asyncio.to_thread(_some_steps, steps):
            doing = views.running(training.moments[-1], asked.plan)
            yield {screen.finding: doing, screen.curves: _curves(training), **more}
            more = {}
        assert training.trained is not None
        yield self._result(training, training.trained)

    def _result(self, training: Training, trained: Trained) -> Drawn:
        screen, result, plan = self.screen, trained.result, trained.plan
        shown = gr.Column(visible=True)
        return {
            screen.finding: views.finding(result, plan, training.ending, training.best_epoch),
            screen.curves: _curves(training),
            screen.came: views.results(result),
            screen.flat: charts.vectors(result),
            screen.map_note: views.map_note(result),
            screen.passes: tables.pass_table(training.moments),
            screen.table: tables.line_table(result),
            screen.token: self.shelf.keep(trained),
            screen.live: shown,
            screen.done: shown,
            screen.file: gr.DownloadButton(visible=False),
            screen.answers: "",
            screen.packed: "",
        }


def _curves(training: Training) -> Any:
    asked = training.asked
    return charts.curves(training.moments, asked.data, asked.plan, training.frozen)


def _some_steps(steps: Iterator[Moment]) -> bool:
    """Train for as long as a picture may stand; say whether there is more to do."""
    end = time.monotonic() + _EVERY
    return any(time.monotonic() > end for _ in steps)
