"""Next-sentence prediction: does B go on where A ends (Devlin et al. 2019, 3.1)?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.errors import InputError
from components.models.encoding import Encoding
from components.tasks.scores import softmax
from components.tasks.words import check_text

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel


@dataclass(frozen=True, slots=True)
class Judgement:
    """What two logits say; index 0 of each pair is "B follows A", index 1 "it does not"."""

    follows: bool
    scores: tuple[float, float]  # probabilities, which sum to one
    logits: tuple[float, float]
    gap: float  # logits[0] - logits[1]; the score of "follows" is its sigmoid


@dataclass(frozen=True, slots=True)
class NextSentenceResult:
    """Whether `second` follows `first`, and the pair as the network read it."""

    model_id: str
    first: str
    second: str
    judgement: Judgement
    encoding: Encoding
    notices: tuple[str, ...]


def predict(model: LoadedModel, first: str, second: str) -> NextSentenceResult:
    """Judge whether `second` follows `first`; raises InputError unless both say something."""
    _check_pair(first, second)
    encoding = model.encode(first, second)
    if not {0, 1} <= set(encoding.sequence_ids):  # characters of no width become no token
        raise _incomplete("B" if 0 in encoding.sequence_ids else "A")
    logits = model.run([encoding])[0]["logits"]  # (2,)
    return NextSentenceResult(
        model_id=model.id,
        first=first,
        second=second,
        judgement=judge(logits),
        encoding=encoding,
        notices=_notices(model, encoding),
    )


def judge(logits: NDArray[np.floating]) -> Judgement:
    """Read the two logits (2,) of the head: in every BERT, index 0 means that B follows A."""
    follows, unrelated = (float(logit) for logit in logits)
    scores = softmax(logits)  # (2,)
    return Judgement(
        follows=follows >= unrelated,
        scores=(float(scores[0]), float(scores[1])),
        logits=(follows, unrelated),
        gap=follows - unrelated,
    )


def _check_pair(first: object, second: object) -> None:
    for name, text in (("A", first), ("B", second)):
        if isinstance(text, str) and not text.strip():
            raise _incomplete(name)
        check_text(text, f"Sentence {name}")


def _incomplete(name: str) -> InputError:
    return InputError(
        f"Enter both sentences: {name} is empty. The model judges a pair, it writes nothing."
    )


def _notices(model: LoadedModel, encoding: Encoding) -> tuple[str, ...]:
    notices = list(model.notices)
    if encoding.is_truncated:
        notices.append(
            f"Only {len(encoding)} of {encoding.full_length} tokens were read: "
            "the end of the longer sentence was cut."
        )
    return tuple(notices)
