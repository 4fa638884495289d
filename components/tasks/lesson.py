"""The lesson: the module as a walk of steps, each of which asks before it shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from components.errors import InputError
from components.models.catalog import SHIPPED
from components.tasks import lesson_counts, lesson_encoder, lesson_families, lesson_live
from components.tasks.lesson_parts import Compute, Desk, Live
from components.tasks.lesson_steps import STEPS, Step, Way
from components.tasks.words import check_text

LIVE: Mapping[str, Compute] = {  # by the key of a step; the others ask nothing
    "encoder": lesson_encoder.encoder,
    "contexts": lesson_live.contexts,
    "masked_words": lesson_live.masked_words,
    "next_sentence": lesson_live.pairs,
    "roberta": lesson_counts.better_training,
    "albert": lesson_counts.one_layer,
    "distilbert": lesson_families.student,
    "electra": lesson_families.fakes,
    "deberta": lesson_families.apart,
    "sentiment": lesson_live.opinion,
    "question_answering": lesson_live.answers,
    "fine_tune": lesson_families.chance,
    "choice": lesson_counts.choice,
}
GIVEN = {"first": lesson_live.FIRST, "passage": lesson_live.PASSAGE}  # texts that stay as they are


@dataclass(frozen=True, slots=True)
class Walk:
    """A row of steps that ask: the lesson, or another one that is walked in the same way."""

    name: str  # id of its tab
    noun: str  # what one step is called
    steps: tuple[Step, ...]
    live: Mapping[str, Compute]  # by the key of a step; the others ask nothing
    is_quiz: bool = False  # only questions: numbers in the row, ways on when they are answered


LESSON = Walk("lesson", "step", STEPS, LIVE)


@dataclass(frozen=True, slots=True)
class LessonResult:
    """One step on one text, and what the learner answered, if they did."""

    number: int  # from 1
    step: Step
    text: str
    way: Way
    fields: tuple[tuple[str, str], ...]  # of the way: elem_id, and what goes in
    live: Live | None  # None: the step asks nothing
    chosen: int | None  # index of the choice
    notices: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """Whether the learner chose what was computed."""
        return self.live is not None and self.chosen == self.live.question.right


def predict(
    desk: Desk,
    number: int = 1,
    text: str | None = None,
    *,
    chosen: int | None = None,
    walk: Walk = LESSON,
) -> LessonResult:
    """Compute step `number`, counted from 1, on `text`; without one on the step's own example.

    `chosen` is the index of the learner's choice. Raises InputError for a step that is not there
    and for a text that the step cannot read.
    """
    if not 1 <= number <= len(walk.steps):
        raise InputError(
            f"There is no {walk.noun} {number}. Choose one from 1 to {len(walk.steps)}."
        )
    step = walk.steps[number - 1]
    text = step.text if text is None or not step.text else check_text(text, step.label)
    compute = walk.live.get(step.key)
    live = compute(desk, text) if compute else None
    way = next(way for way in step.ways if is_there(way))
    is_choice = (
        live is not None and chosen is not None and chosen in range(len(live.question.choices))
    )
    return LessonResult(
        number=number,
        step=step,
        text=text,
        way=way,
        fields=tuple((name, put.format(text=text, **GIVEN)) for name, put in way.fields),
        live=live,
        chosen=chosen if is_choice else None,
        notices=(
            *(live.notices if live else ()),
            *lesson_families.training_notice(step.model_type),
        ),
    )


def is_there(way: Way) -> bool:
    """Whether the tab of `way` is on the page: those that no model can serve are not."""
    return way.needs is None or any(way.needs in card.tasks for card in SHIPPED)
