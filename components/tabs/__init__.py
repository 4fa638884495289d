"""Layer 4: layout and wiring, the only package that knows Gradio. Add a tab as a line of TABS."""

from components.tabs import (
    attention,
    compare,
    every_word,
    fill_mask,
    joint_mask,
    lens,
    next_sentence,
    question_answering,
    replaced_tokens,
    sentiment,
    two_contexts,
)
from components.tabs.base import Tab

TABS: tuple[Tab, ...] = (
    fill_mask.TAB,
    joint_mask.TAB,
    every_word.TAB,
    two_contexts.TAB,
    lens.TAB,
    next_sentence.TAB,
    sentiment.TAB,
    question_answering.TAB,
    replaced_tokens.TAB,
    attention.TAB,
    compare.TAB,
)
