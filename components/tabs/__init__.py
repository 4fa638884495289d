"""Layer 4: layout and wiring, the only package that knows Gradio. Add a tab as a line of TABS."""

from components.tabs import (
    attention,
    compare,
    embeddings,
    fill_mask,
    lens,
    next_sentence,
    question_answering,
    replaced_tokens,
    sentence_vectors,
    sentiment,
    word_vectors,
)
from components.tabs.base import Tab

TABS: tuple[Tab, ...] = (
    fill_mask.TAB,
    lens.TAB,
    next_sentence.TAB,
    sentiment.TAB,
    question_answering.TAB,
    replaced_tokens.TAB,
    attention.TAB,
    embeddings.TAB,
    word_vectors.TAB,
    sentence_vectors.TAB,
    compare.TAB,
)
