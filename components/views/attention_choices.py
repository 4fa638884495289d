"""What can be chosen of attention, as the page names it."""

from __future__ import annotations

from components.models.families import Task
from components.tasks.attention import View
from components.tasks.mixing import Mix

TASKS = {
    Task.FILL_MASK: "Fill the blank",
    Task.ENCODER: "Only read the text",
    Task.NEXT_SENTENCE: "Does B follow A?",
    Task.SENTIMENT: "Weigh a review",
    Task.QUESTION_ANSWERING: "Answer a question from a passage",
}
VIEWS = {
    View.HEAD: "Lines",
    View.MATRIX: "Matrix",
    View.LAYER: "Layer",
    View.MODEL: "All heads",
    View.MATCH: "Query · key",
}
MIXES = {
    Mix.HEAD: "One head",
    Mix.MEAN: "Mean over the heads of the layer",
    Mix.MAX: "Maximum over the heads of the layer",
    Mix.ROLLOUT: "Rollout: all layers up to this one",
}
