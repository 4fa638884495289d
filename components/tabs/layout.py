"""The rows of tabs: the top row, and inside a tab that has parts a row of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import gradio as gr

from components.tabs.base import Page, Tab
from components.views.page import tab_name


def outline(tabs: Sequence[Tab]) -> Iterator[tuple[Tab, tuple[Tab, ...]]]:
    """Give each tab of the top row with its parts, in the order of `tabs`."""
    for tab in tabs:
        if not tab.within:
            yield tab, tuple(part for part in tabs if part.within == tab.id)


def lay_out(page: Page, tabs: Sequence[Tab]) -> None:
    """Build the row of tabs, and inside those that have parts a row of parts."""
    with gr.Tabs(elem_id="tabs", overflow_behavior="wrap"):
        for tab, parts in outline(tabs):
            with gr.Tab(tab.title, id=tab.id, elem_id=f"tab-{tab.id}"):
                if not parts:
                    _build(page, tab)
                    continue
                with gr.Tabs(elem_classes="lab-parts", overflow_behavior="wrap"):
                    with gr.Tab(tab.label, id=tab.id, elem_id=f"tab-{tab.id}-itself"):
                        _build(page, tab)
                    for part in parts:
                        with gr.Tab(part.label, id=part.id, elem_id=f"tab-{part.id}"):
                            _build(page, part)
    page.ways.connect()


def _build(page: Page, tab: Tab) -> None:
    gr.HTML(tab_name(tab.title), elem_classes="lab-tab-name", padding=False)
    tab.build(page)
