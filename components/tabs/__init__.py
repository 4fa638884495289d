"""Layer 4: layout and wiring, the only package that knows Gradio. Add a tab as a line of TABS."""

from components.tabs import (
    attention,
    compare,
    fill_mask,
    head_map,
    next_sentence,
    question_answering,
    sentiment,
)
from components.tabs.base import Tab

TABS: tuple[Tab, ...] = (
    fill_mask.TAB,
    next_sentence.TAB,
    sentiment.TAB,
    question_answering.TAB,
    attention.TAB,
    head_map.TAB,
    compare.TAB,
)
