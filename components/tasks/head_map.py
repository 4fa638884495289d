"""Head map: what the answer loses or gains when attention heads are switched off.

A measured intervention, after Michel et al. 2019 ("Are sixteen heads really better than one?",
arXiv:1905.10650) and Voita et al. 2019 (arXiv:1905.09418): unlike a look at attention, it says
what the answer rests on. Effects are those of one input, and do not add up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from components.errors import InputError
from components.models.families import Task
from components.models.heads import Filler, Head
from components.tasks.followed import CASES, Case, Given, Reading

if TYPE_CHECKING:
    from components.models.loaded import Arrays, LoadedModel

MAX_POSITIONS = 100_000  # runs times tokens of one map: bert-base at 512 tokens has 80,384
MAX_CHOSEN = 600  # heads: more than the largest encoder has
_CHOICES = 5  # answers that are offered to be followed
_LONGEST = 60  # characters of a refused value that are given back
_HEAD = re.compile(r"(\d{1,3})\.(\d{1,3})")

Tell = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class Effect:
    """What is left of the followed answer in a run without some heads."""

    logit: float
    score: float  # probability
    logit_change: float  # from the whole network's: negative where the heads were helping
    score_change: float
    own_answer: str  # what the network answers by itself in this run


@dataclass(frozen=True, slots=True)
class HeadMapResult:
    """The effect of every head, and of the attention of every layer, each switched off alone."""

    model_id: str
    task: Task
    by: Filler
    tokens: int  # of the input, special ones included
    followed: Reading  # with the whole network
    own_answer: str  # of the whole network: it need not be the one that is followed
    choices: tuple[Reading, ...]  # the best answers of the whole network
    heads: tuple[tuple[Effect, ...], ...]  # [layer][head]
    layers: tuple[Effect, ...]  # all heads of the layer switched off
    notices: tuple[str, ...]

    @property
    def strongest(self) -> Head:
        """The head that changes the probability most."""
        places = ((i, j) for i, row in enumerate(self.heads) for j in range(len(row)))
        return max(places, key=lambda place: abs(self[place].score_change))

    def __getitem__(self, head: Head) -> Effect:
        return self.heads[head[0]][head[1]]


@dataclass(frozen=True, slots=True)
class TogetherResult:
    """The effect of several heads switched off together, beside that of each alone."""

    model_id: str
    by: Filler
    followed: Reading
    own_answer: str
    chosen: tuple[Head, ...]
    singles: tuple[Effect, ...]  # one a head, in the order of `chosen`
    joint: Effect
    notices: tuple[str, ...]

    @property
    def score_sum(self) -> float:
        """The changes of the probability by single heads, added up; it may pass 0 or 100 %."""
        return sum(single.score_change for single in self.singles)

    @property
    def logit_sum(self) -> float:
        """The changes of the logit by single heads, added up."""
        return sum(single.logit_change for single in self.singles)


def predict(
    model: LoadedModel,
    given: Given,
    *,
    follow: str = "",
    by: str = Filler.ZERO,
    tell: Tell = lambda _message, _done: None,
) -> HeadMapResult:
    """Switch off every head of `model` alone, then the attention of every layer, over `given`.

    The answer `follow` is watched, by default the model's own; `by` is "zero" or "mean"; `tell`
    hears how far it is. Raises InputError for a text that cannot be used, or that is too long
    for so many runs.
    """
    filler, case = _filler(by), CASES[model.task](model, given)
    sets = [
        frozenset({(layer, head)}) for layer in range(model.layers) for head in range(model.heads)
    ]
    sets += [_whole_layer(model, layer) for layer in range(model.layers)]
    _check_cost(model, len(sets), len(case.encoding))
    watch = _Watch(case, follow, _runs(model, case, sets, filler))
    effects = [watch.whole]
    for done, effect in enumerate(watch, start=1):
        effects.append(effect)
        if done % model.heads == 0:
            tell(f"{done} of {len(sets)} runs, each without one head", done / len(sets))
    ends = [model.heads * layer for layer in range(1, model.layers + 1)]
    singles, layers = effects[1 : 1 + ends[-1]], effects[1 + ends[-1] :]
    return HeadMapResult(
        model_id=model.id,
        task=model.task,
        by=filler,
        tokens=len(case.encoding),
        followed=watch.followed,
        own_answer=watch.whole.own_answer,
        choices=watch.choices,
        heads=tuple(tuple(singles[end - model.heads : end]) for end in ends),
        layers=tuple(layers),
        notices=(*case.notices, *watch.notices),
    )


def together(
    model: LoadedModel,
    given: Given,
    chosen: str,
    *,
    follow: str = "",
    by: str = Filler.ZERO,
) -> TogetherResult:
    """Switch off the heads `chosen`, such as "3.5, 4.1", each alone and all at once.

    Raises InputError where no head of `model` is among them.
    """
    filler, asked = _filler(by), _heads(chosen)
    heads = tuple((at, of) for at, of in asked if at < model.layers and of < model.heads)
    size = f"{model.id} has {model.layers} layers of {model.heads} heads, counted from 0"
    if not heads:
        raise InputError(f"None of the chosen heads is there: {size}. Choose heads of the map.")
    case = CASES[model.task](model, given)
    sets = [*(frozenset({head}) for head in heads), frozenset(heads)]
    _check_cost(model, len(sets), len(case.encoding))
    watch = _Watch(case, follow, _runs(model, case, sets, filler))
    *singles, joint = watch
    left_out = len(asked) - len(heads)
    missing = [f"{left_out} of the chosen heads are not there: {size}."] if left_out else []
    return TogetherResult(
        model_id=model.id,
        by=filler,
        followed=watch.followed,
        own_answer=watch.whole.own_answer,
        chosen=heads,
        singles=tuple(singles),
        joint=joint,
        notices=(*missing, *watch.notices),
    )


class _Watch:
    """Follows one answer through runs, the first of which is that of the whole network."""

    def __init__(self, case: Case[Any], follow: str, runs: Iterator[Arrays]) -> None:
        self._case, self._runs = case, runs
        whole = next(runs)
        self._key, self.notices = case.choose(whole, follow, _CHOICES)
        self.choices = tuple(case.read(whole, key) for key in case.best(whole, _CHOICES))
        self.followed = case.read(whole, self._key)
        self.whole = self._effect(whole)

    def __iter__(self) -> Iterator[Effect]:
        return (self._effect(run) for run in self._runs)

    def _effect(self, run: Arrays) -> Effect:
        now = self._case.read(run, self._key)
        return Effect(
            logit=now.logit,
            score=now.score,
            logit_change=now.logit - self.followed.logit,
            score_change=now.score - self.followed.score,
            own_answer=self._case.name(self._case.best(run, 1)[0]),
        )


def _runs(
    model: LoadedModel, case: Case[Any], sets: Sequence[frozenset[Head]], by: Filler
) -> Iterator[Arrays]:
    whole: frozenset[Head] = frozenset()
    return model.run_without(case.encoding, [whole, *sets], by=by, positions=case.positions)


def task_of(name: str) -> Task:
    """Give the task of that name; raises InputError for one whose answers cannot be followed."""
    known = next((known for known in CASES if known == name), None)
    if known is None:
        raise InputError(
            f"“{str(name)[:_LONGEST]}” has no answer to follow. Choose one of: {', '.join(CASES)}."
        )
    return known


def _whole_layer(model: LoadedModel, layer: int) -> frozenset[Head]:
    return frozenset((layer, head) for head in range(model.heads))


def _filler(by: str) -> Filler:
    known = next((known for known in Filler if known == by), None)
    if known is None:
        raise InputError(
            f"“{str(by)[:_LONGEST]}” cannot stand in for a head. Choose one of: "
            f"{', '.join(Filler)}."
        )
    return known


def _heads(chosen: str) -> tuple[Head, ...]:
    """Read heads written as layer.head, separated by commas or spaces; each counts once."""
    words = chosen.replace(",", " ").split()
    found = [_HEAD.fullmatch(word) for word in words[:MAX_CHOSEN]]
    if not words or len(words) > MAX_CHOSEN or None in found:
        wrong = next((w for w, f in zip(words, found, strict=False) if f is None), chosen)
        raise InputError(
            f"“{wrong[:_LONGEST]}” is no head. Write the layer and the head, both counted from 0, "
            "as in 3.5, and commas between several."
        )
    return tuple(dict.fromkeys((int(f[1]), int(f[2])) for f in found if f))


def _check_cost(model: LoadedModel, runs: int, tokens: int) -> None:
    if runs * tokens > MAX_POSITIONS:
        raise InputError(
            f"{model.id} would have to read the {tokens} tokens {runs} times, once without each "
            f"head and layer, which takes too long. Shorten the text to {MAX_POSITIONS // runs} "
            "tokens or fewer, or choose a smaller model."
        )
