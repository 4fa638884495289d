"""The numbers of a fine-tuning as tables, and the card that goes along with its checkpoint."""

from __future__ import annotations

from collections.abc import Sequence

from components.tasks.fine_tune import FineTuneResult
from components.training.progress import Moment, Plan
from components.views.wording import percent

LINE_HEADERS = ["Line", "Half", "Label", "Untrained head", "Trained model", "Probability"]
PASS_HEADERS = ["Passes", "Loss of the last step", "Held-out loss", "Held-out lines right"]


def line_table(result: FineTuneResult) -> list[list[str]]:
    """List every line with its label and what was said before and after."""
    data = result.data
    return [
        [
            text,
            "held out" if data.is_held_out[i] else "learned from",
            data.names[data.labels[i]],
            data.names[int(result.before[i].argmax())],
            data.names[int(result.after[i].argmax())],
            percent(float(result.after[i].max())),
        ]
        for i, text in enumerate(data.texts)
    ]


def pass_table(moments: Sequence[Moment]) -> list[list[str]]:
    """List what was measured after each pass."""
    return [
        [
            f"{moment.epoch:.3g}",
            "" if moment.loss is None else f"{moment.loss:.3f}",
            f"{moment.held_out.loss:.3f}",
            f"{moment.held_out.right} of {moment.held_out.lines}",
        ]
        for moment in moments
        if moment.held_out is not None
    ]


def card(result: FineTuneResult, plan: Plan) -> str:
    """Write the card that goes along with the file, in Markdown."""
    held = len(result.data.lines(held_out=True))
    names = ", ".join(result.data.names)
    return (
        f"# A classifier made from {result.model_id}\n\nLabels: {names}.\n\n"
        f"Trained with Encoder Lab on {len(result.data.texts) - held} lines ({plan.part}, "
        f"{plan.epochs} epochs, learning rate {plan.learning_rate:g}, seed {plan.seed}).\n\n"
        f"Of {held} held-out lines {result.right(result.after)} are right; always giving the "
        f"commonest label: {result.data.majority}; a logistic regression on the frozen vectors: "
        f"{result.frozen}. So few lines tell little: do not rely on it.\n\n```python\n"
        "from transformers import AutoModelForSequenceClassification, AutoTokenizer\n\n"
        'tokenizer = AutoTokenizer.from_pretrained("classifier")\n'
        'model = AutoModelForSequenceClassification.from_pretrained("classifier")\n```\n'
    )
