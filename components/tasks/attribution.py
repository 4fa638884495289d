"""Which words decided: three ways to rank the words of a text for an answer, and a test of them.

Occlusion hides each word and measures what the answer loses (Li et al. 2016, arXiv:1612.08220).
Integrated gradients (`integration`) split what the answer gained among the words. Attention, rolled
out through all layers (Abnar & Zuidema 2020), only says where the model looked; whether that
explains anything is disputed (Jain & Wallace 2019, arXiv:1902.10186), so `deletion` tests all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from components.errors import InputError
from components.models.encoding import Encoding, Span
from components.models.families import Task
from components.tasks.deletion import RANDOM_ORDERS, Deletion, run_deletion, steps
from components.tasks.followed import CASES, Case, Given, Reading
from components.tasks.integration import Way, integrate
from components.tasks.mixing import rollout
from components.tasks.words import shared_out, split_words

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

MAX_POSITIONS = 450_000  # tokens that one analysis reads: 512 tokens of a review have 350,000
MIN_STEPS, STEPS, MAX_STEPS = 4, 32, 128
_CHOICES = 5  # answers that are offered to be followed
_AT_ONCE = 2_048  # tokens of one pass, after which it is told how far it is
_BACKWARD = 3  # a step with its gradient takes as long as so many runs

Tell = Callable[[str, float], None]


class Method(StrEnum):
    """A way to rank words."""

    OCCLUSION = "occlusion"
    GRADIENTS = "integrated gradients"
    ATTENTION = "attention"


class Baseline(StrEnum):
    """What stands in place of every word where integrated gradients start."""

    MASK = "mask"
    PAD = "pad"


@dataclass(frozen=True, slots=True)
class DecidedWord:
    """One word, and what each method says of it; a positive number speaks for the answer."""

    word: str
    text: int  # which text it stands in: 0 the first, 1 the second
    span: Span  # its characters there
    tokens: tuple[int, ...]  # its positions in the input
    without: Reading  # of the answer, with the word hidden
    occlusion: float  # what the answer's logit loses when the word is hidden
    gradients: float  # what it adds to the logit on the way from the baseline
    attention: float  # the share of the attention that reaches the answer's place, 0 to 1

    def score(self, method: Method) -> float:
        """Give the number that `method` ranks it by."""
        scores = {
            Method.OCCLUSION: self.occlusion,
            Method.GRADIENTS: self.gradients,
            Method.ATTENTION: self.attention,
        }
        return scores[method]


@dataclass(frozen=True, slots=True)
class AttributionResult:
    """Every word of an input with what it did for one answer."""

    model_id: str
    task: Task
    texts: tuple[str, ...]
    tokens: int  # of the input, special ones included
    followed: Reading
    own_answer: str
    choices: tuple[Reading, ...]  # the model's best answers
    words: tuple[DecidedWord, ...]  # in reading order
    way: Way
    deletion: Deletion  # its curves by Method
    notices: tuple[str, ...]

    def ranking(self, method: Method) -> tuple[int, ...]:
        """Give the numbers of the words, the one that speaks most for the answer first."""
        return _ranking([word.score(method) for word in self.words])

    def agreement(self, one: Method, other: Method) -> float:
        """Give Spearman's correlation of two rankings: 1 the same order, 0 none, −1 reversed."""
        if len(self.words) < 2:
            return 1.0
        first, second = (np.argsort(self.ranking(method)) for method in (one, other))
        return float(np.corrcoef(first, second)[0, 1])


def predict(
    model: LoadedModel,
    given: Given,
    *,
    follow: str = "",
    baseline: str = Baseline.MASK,
    steps: int = STEPS,
    tell: Tell = lambda _message, _done: None,
) -> AttributionResult:
    """Say what every word of `given` did for the answer `follow`, by default the model's own.

    `model` must have been loaded with attentions. `baseline` is "mask" or "pad"; `steps` are those
    of integrated gradients; `tell` hears how far it is, and may raise to stop it. Raises
    InputError for a text that cannot be used, or that is too long.
    """
    stands_in = _filler(model, baseline)
    steps = max(MIN_STEPS, min(int(steps), MAX_STEPS))
    case = CASES[model.task](model, given)
    words = _words(model, case)
    work = _Work(model, case, tell, len(words), steps)
    whole = work.whole
    key, notices = case.choose(whole, follow, _CHOICES)
    followed = case.read(whole, key)
    hidden = list(work.readings(key, [frozenset({i}) for i in range(len(words))], words))
    added, way = work.way(case.target(whole, key), words, stands_in)
    seen = rollout(whole["attentions"])[list(case.places(whole, key))].mean(axis=0)  # (keys,)
    decided = tuple(
        DecidedWord(
            word=case.texts[text][slice(*span)],
            text=text,
            span=span,
            tokens=positions,
            without=without,
            occlusion=followed.logit - without.logit,
            gradients=float(added[list(positions)].sum()),
            attention=float(seen[list(positions)].sum()),
        )
        for (text, span, positions), without in zip(words, hidden, strict=True)
    )
    orders = {method.value: _ranking([word.score(method) for word in decided]) for method in Method}
    deletion = run_deletion(
        orders,
        len(words),
        lambda sets: [reading.score for reading in work.readings(key, sets, words)],
    )
    best = case.best(whole, _CHOICES)
    return AttributionResult(
        model_id=model.id,
        task=model.task,
        texts=case.texts,
        tokens=len(case.encoding),
        followed=followed,
        own_answer=case.name(best[0]),
        choices=tuple(case.read(whole, one) for one in best),
        words=decided,
        way=way,
        deletion=deletion,
        notices=(*case.notices, *notices),
    )


_Place = tuple[int, Span, tuple[int, ...]]  # the text, characters, positions of a word


class _Work:
    """Runs of one input with some of its words hidden; it tells how far it is."""

    def __init__(
        self, model: LoadedModel, case: Case[Any], tell: Tell, words: int, rule: int
    ) -> None:
        self._model, self._case, self._tell, self._rule = model, case, tell, rule
        orders = len(Method) + RANDOM_ORDERS
        self._total = words + _BACKWARD * (rule + 2) + orders * (len(steps(words)) - 2) + 2
        self._done = 0
        self._check_cost()
        (self.whole,) = model.run([case.encoding], attentions=True, **self._at(1))

    def _check_cost(self) -> None:
        tokens = len(self._case.encoding)
        if self._total * tokens > MAX_POSITIONS:
            raise InputError(
                f"{self._model.id} would have to read the {tokens} tokens {self._total} times, "
                "which takes too long. Shorten the text, or take fewer steps."
            )

    def _at(self, rows: int) -> dict[str, Any]:
        positions = self._case.positions
        return {} if positions is None else {"positions": [positions] * rows}

    def readings(
        self, key: Any, sets: Sequence[frozenset[int]], words: Sequence[_Place]
    ) -> Iterator[Reading]:
        """Read the answer with each set of words hidden, several in one pass."""
        encoding = self._case.encoding
        mask = self._model.mask_token, self._model.mask_token_id
        at_once = max(1, _AT_ONCE // len(encoding))
        for begin in range(0, len(sets), at_once):
            part = sets[begin : begin + at_once]
            inputs = [encoding.put({p: mask for i in one for p in words[i][2]}) for one in part]
            for run in self._model.run(inputs, **self._at(len(part))):
                yield self._case.read(run, key)
            self._note(len(part), "texts read, each with some words hidden")

    def way(
        self, target: Any, words: Sequence[_Place], stands_in: tuple[str, int]
    ) -> tuple[Any, Way]:
        """Integrate the gradients from a text whose words are all `stands_in`."""
        encoding = self._case.encoding
        start = encoding.put({p: stands_in for _, _, positions in words for p in positions})

        def slopes(shares: Sequence[float]) -> Iterator[Any]:
            at = self._case.positions
            return self._model.slopes(encoding, start, shares, target, positions=at)

        return integrate(
            slopes, self._rule, stands_in[0], lambda _: self._note(_BACKWARD, "gradients")
        )

    def _note(self, more: int, what: str) -> None:
        self._done += more
        share = min(1.0, self._done / self._total)
        self._tell(f"{100 * share:.0f} % done: {what}", share)


def _words(model: LoadedModel, case: Case[Any]) -> list[_Place]:
    """Give every word that can be hidden, with all of its pieces; blanks are none."""
    found = [
        (number, span, tuple(positions))
        for number, text in enumerate(case.texts)
        for span, positions in shared_out(
            split_words(text, model.mask_token), case.encoding, number
        )
        if not _is_blank(model, case.encoding, positions)
    ]
    if not found:
        raise InputError("There is no word here that could be hidden. Type a few words.")
    return found


def _is_blank(model: LoadedModel, encoding: Encoding, positions: Sequence[int]) -> bool:
    return any(encoding.input_ids[p] == model.mask_token_id for p in positions)


def _filler(model: LoadedModel, baseline: str) -> tuple[str, int]:
    if baseline not in list(Baseline):
        raise InputError(
            f"“{str(baseline)[:60]}” is nothing to start from. Choose one of: "
            f"{', '.join(Baseline)}."
        )
    return model.pad_token if baseline == Baseline.PAD else (model.mask_token, model.mask_token_id)


def _ranking(scores: Sequence[float]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argsort(-np.array(scores), kind="stable"))
