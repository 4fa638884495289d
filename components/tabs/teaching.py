"""The page of teacher's notes, a part of the lesson."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import gradio as gr

from components.tabs.base import Page, Tab, wire
from components.tabs.controls import finding_view
from components.tasks import teaching
from components.views import markup
from components.views import teaching as views

FIRST = "fill_mask"
_OPEN = """(tab) => {
    document.querySelector(`#tab-${tab}-button`)?.click();
    window.scrollTo(0, 0);
}"""
GUIDE = markup.guide(
    "What each tab is for in a lesson: the idea to take home, questions that start a discussion, "
    "and what many believe before they have seen it.",
    "Ask the question first, let the class vote, and only then open the tab: a wrong guess is "
    "what makes the answer stay.",
)


def build(page: Page) -> None:
    """Lay out the page, and wire it."""
    with gr.Column(elem_classes="lab-page"):
        tab = gr.Dropdown(
            [(note.title, note.tab_id) for note in teaching.notes().values()],
            value=FIRST,
            label="Notes on the tab",
            interactive=True,
            elem_id=f"{TAB.id}-tab",
        )
        finding = finding_view(TAB.id)
        note = gr.HTML(elem_id=f"{TAB.id}-note")
        go = gr.Button("Open this tab", size="sm", elem_id=f"{TAB.id}-open")
        gr.HTML(GUIDE)

    def run(tab: str) -> tuple[Any, ...]:
        found = teaching.predict(tab)
        return views.finding(found), views.page(found)

    def endpoint(tab: str = FIRST) -> dict[str, Any]:
        """Give a teacher's note: goal, questions, a misconception, and the minutes it takes.

        Args:
            tab: the id of a tab of the top row, such as fill_mask or attention
        """
        return asdict(teaching.predict(tab))

    go.click(None, tab, None, js=_OPEN, api_visibility="private")
    wire(page, TAB, [tab.input], run, [tab], [finding, note], endpoint=endpoint)


TAB = Tab(
    id="teaching",
    title="Teacher's notes",
    build=build,
    within="lesson",
    short="Teacher's notes",
)
