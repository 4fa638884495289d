"""Layer 4: layout and wiring, the only package that knows Gradio. Add a tab as a line of TABS."""

from components.tabs import (
    attention,
    compare,
    fill_mask,
    input_embeddings,
    lens,
    next_sentence,
    question_answering,
    replaced_tokens,
    sentiment,
    tokenization,
)
from components.tabs.base import Tab

TABS: tuple[Tab, ...] = (
    fill_mask.TAB,
    lens.TAB,
    next_sentence.TAB,
    sentiment.TAB,
    question_answering.TAB,
    replaced_tokens.TAB,
    tokenization.TAB,
    input_embeddings.TAB,
    attention.TAB,
    compare.TAB,
)
