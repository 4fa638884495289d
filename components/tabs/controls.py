"""The controls and views that tabs are laid out with; add one here when a third tab needs it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import gradio as gr

from components.config import ASSETS, MAX_TEXT
from components.models.catalog import cards_for, default_for, why_not
from components.models.families import Task
from components.models.full_size import full_size_for
from components.views import markup

ANY_MODEL = "Bundled, full size from the Hub, or type any id of the Hub."


@dataclass(frozen=True, slots=True)
class Examples:
    """Rows of values for `fields`, each put in by one click; None leaves its field alone."""

    rows: gr.Dataset
    fields: Sequence[Any]

    def chosen(self, **options: Any) -> Any:
        """Attach the click that fills the fields."""
        single = len(self.fields) == 1
        return self.rows.click(
            lambda row: row[0] if single else [gr.skip() if v is None else v for v in row],
            self.rows,
            list(self.fields),
            **options,
        )


@contextmanager
def columns() -> Iterator[tuple[gr.Column, gr.Column, gr.Column]]:
    """Lay out a tab as (input, result, options).

    Wide, the result stands right of the other two; on a phone it comes between them.
    """
    with gr.Row(elem_classes="lab-columns"):
        yield (
            gr.Column(elem_classes="lab-input", min_width=0),
            gr.Column(elem_classes="lab-result", min_width=0),
            gr.Column(elem_classes="lab-options", min_width=0),
        )


def examples(
    tab_id: str, fields: Sequence[Any], rows: Sequence[Sequence[Any]], labels: Sequence[str]
) -> Examples:
    """Offer ready values for `fields`; `labels` say what each row shows."""
    dataset = gr.Dataset(
        components=list(fields),
        samples=[list(row) for row in rows],
        sample_labels=list(labels),
        type="values",
        label="Examples",
        elem_id=f"{tab_id}-examples",
    )
    return Examples(dataset, fields)


def scripts(*names: str) -> str:
    """Read files of assets that make up the script of one view, in this order."""
    return "".join((ASSETS / name).read_text(encoding="utf-8") for name in names)


def clickable(*more: str, **options: Any) -> gr.HTML:
    """Make an HTML view whose marked parts can be clicked, see views.markup.button.

    `more` are names of files in assets that add to what its parts can do.
    """
    return gr.HTML(js_on_load=scripts("clicks.js", *more), **options)


def finding_view(tab_id: str) -> gr.HTML:
    """Make the view that states the finding, or what was wrong; it asks for the first screen."""
    waiting = markup.waiting("Warming up …")
    return clickable("first.js", value=waiting, elem_id=f"{tab_id}-finding")


def numbers_view(tab_id: str, headers: Sequence[str], **options: Any) -> gr.Dataframe:
    """Make the table with the numbers of a picture, which screen readers can read."""
    name = options.pop("name", "table")
    return gr.Dataframe(
        headers=list(headers), interactive=False, elem_id=f"{tab_id}-{name}", **options
    )


def model_picker(
    tab_id: str, task: Task, *, name: str = "model", label: str = "Model", info: str = ANY_MODEL
) -> gr.Dropdown:
    """Offer the bundled models that have a head for `task`, the full-size ones, and any id.

    Of the bundled models without that head it says, folded away below, why they are missing.
    """
    shipped = [card for card in cards_for(task) if card.is_shipped]
    picker = gr.Dropdown(
        [*((card.about, card.id) for card in shipped), *full_size_choices(task)],
        value=default_for(task) if shipped else None,
        label=label,
        info=info,
        allow_custom_value=True,
        interactive=True,
        elem_id=f"{tab_id}-{name}",
    )
    reasons = why_not(task)
    if reasons:
        gr.HTML(markup.why_missing(reasons), elem_id=f"{tab_id}-{name}-missing")
    return picker


def full_size_choices(task: Task) -> list[tuple[str, str]]:
    """Give the (line, id) of every full-size checkpoint that has a head for `task`."""
    return [(one.about, one.id) for one in full_size_for(task)]


def text_box(tab_id: str, name: str, value: str, label: str, **options: Any) -> gr.Textbox:
    """Make a field for a text; its limit is said here and enforced by the task."""
    limit = options.pop("max_length", MAX_TEXT)
    return gr.Textbox(
        value,
        label=label,
        max_length=limit,
        info=options.pop("info", f"Up to {limit:,} characters."),
        elem_id=f"{tab_id}-{name}",
        html_attributes=gr.InputHTMLAttributes(spellcheck=False, autocomplete="off"),
        **options,
    )
