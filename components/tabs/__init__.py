"""Layer 4: layout and wiring, the only package that knows Gradio. Add a tab as a line of TABS."""

from components.models.catalog import SHIPPED
from components.tabs import (
    answer_scores,
    attention,
    attribution,
    compare,
    embeddings,
    every_word,
    families,
    fill_mask,
    fine_tune,
    head_map,
    input_embeddings,
    joint_mask,
    lens,
    lesson,
    next_sentence,
    question_answering,
    replaced_tokens,
    sentence_vectors,
    sentiment,
    story,
    teaching,
    token_classification,
    tokenization,
    topic_or_order,
    two_contexts,
    word_vectors,
)
from components.tabs.base import Tab

_BUILT: tuple[Tab, ...] = (
    fill_mask.TAB,
    joint_mask.TAB,
    every_word.TAB,
    two_contexts.TAB,
    lens.TAB,
    next_sentence.TAB,
    story.TAB,
    topic_or_order.TAB,
    sentiment.TAB,
    question_answering.TAB,
    answer_scores.TAB,
    token_classification.TAB,
    replaced_tokens.TAB,
    tokenization.TAB,
    input_embeddings.TAB,
    attention.TAB,
    head_map.TAB,
    attribution.TAB,
    embeddings.TAB,
    word_vectors.TAB,
    sentence_vectors.TAB,
    compare.TAB,
    fine_tune.TAB,
    families.TAB,
    lesson.TAB,
    teaching.TAB,
)
TABS = tuple(
    tab for tab in _BUILT if tab.needs is None or any(tab.needs in card.tasks for card in SHIPPED)
)
