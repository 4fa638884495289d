"""Every word of a sentence hidden in turn: what the model expects there, and a score of the whole.

The pseudo-log-likelihood of a sentence is the sum, over its tokens, of the log-probability of the
token when it alone is hidden (Salazar et al. 2020, arXiv:1910.14659). A word of several pieces gets
too much by that, for its other pieces give it away; hiding the pieces right of it in the same word
as well mends this (Kauf and Ivanova 2023, arXiv:2305.10588).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from components.errors import InputError
from components.models.encoding import Encoding, Span
from components.tasks.fill_mask import Candidate, candidate
from components.tasks.scores import best_first, log_softmax
from components.tasks.words import check_text, reading_notices, shared_out, split_words, with_mask

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

MAX_HIDDEN = 100  # tokens hidden in turn, each in a run of the whole text
GUESSES = 5
ALONE, REST = "alone", "rest"  # what is hidden with a piece: nothing, or what is right of it


@dataclass(frozen=True, slots=True)
class Piece:
    """One token, and what the model would put in its place."""

    token: str  # as in the vocabulary
    span: Span  # its characters in the text, no space at either end
    is_blank: bool  # a mask of the text: nothing stands there that could be scored
    alone: float  # nats: log-probability of the token when it alone is hidden
    rest: float  # the same, with the pieces right of it in its word hidden too
    guesses: tuple[Candidate, ...]  # best first, with hidden what the chosen method hides


@dataclass(frozen=True, slots=True)
class ScoredWord:
    """One word, a punctuation mark or a blank, as the pieces that it is for the model."""

    span: Span
    pieces: tuple[Piece, ...]

    def score(self, method: str) -> float:
        """Give the nats of its pieces together; 0 for a blank."""
        return float(sum(getattr(p, method) for p in self.pieces if not p.is_blank))


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text with every token of it hidden in turn."""

    text: str  # with the model's own mask token
    words: tuple[ScoredWord, ...]
    notices: tuple[str, ...]

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All pieces, left to right."""
        return tuple(piece for word in self.words for piece in word.pieces)

    @property
    def tokens(self) -> int:
        """How many tokens the score is a sum over."""
        return sum(not piece.is_blank for piece in self.pieces)

    def score(self, method: str) -> float:
        """Give the pseudo-log-likelihood in nats; nearer to 0 is more expected."""
        return sum(word.score(method) for word in self.words)


@dataclass(frozen=True, slots=True)
class Difference:
    """Two words that stand at the same place of the two sentences; None where one has none."""

    first: str | None
    second: str | None
    first_score: float  # nats; 0 where there is none
    second_score: float

    @property
    def gain(self) -> float:
        """By how many nats it speaks for the second sentence."""
        return self.second_score - self.first_score


@dataclass(frozen=True, slots=True)
class EveryWordResult:
    """One sentence, or two that are compared."""

    model_id: str
    method: str  # ALONE or REST
    first: Sentence
    second: Sentence | None
    differences: tuple[Difference, ...]  # none without a second sentence
    notices: tuple[str, ...]

    @property
    def gain(self) -> float:
        """By how many nats the model prefers the second sentence."""
        return self.second.score(self.method) - self.first.score(self.method) if self.second else 0


def predict(
    model: LoadedModel, text: str, other: str = "", *, method: str = ALONE
) -> EveryWordResult:
    """Hide every token of `text` in turn, in one batch; with `other`, compare the two.

    Raises InputError for a text that cannot be read, and for another method than ALONE and REST.
    """
    if method not in (ALONE, REST):
        raise InputError(f"“{str(method)[:20]}” is no way to hide pieces. Use {ALONE} or {REST}.")
    first = _sentence(model, text, "The sentence", method)
    second = _sentence(model, other, "The other sentence", method) if other.strip() else None
    return EveryWordResult(
        model_id=model.id,
        method=method,
        first=first,
        second=second,
        differences=_differences(first, second, method) if second else (),
        notices=(*model.notices, *first.notices, *(second.notices if second else ())),
    )


def _sentence(model: LoadedModel, text: str, name: str, method: str) -> Sentence:
    text, spellings = with_mask(check_text(text, name), model.mask_token)
    encoding = model.encode(text, literal=model.mask_token not in text)
    groups = shared_out(split_words(text, model.mask_token), encoding, most=MAX_HIDDEN)
    if not groups:
        raise InputError(f"{name} has nothing in it that the model reads. Type a few words.")
    hidden = [position for _, positions in groups for position in positions]
    pieces = dict(zip(hidden, _pieces(model, text, encoding, groups, method), strict=True))
    words = tuple(
        ScoredWord(_covering(span, [pieces[p].span for p in positions]), _of(pieces, positions))
        for span, positions in groups
    )
    notices = (
        *reading_notices(model.mask_token, spellings, encoding),
        *_notices(model, encoding, hidden),
    )
    return Sentence(text, words, notices)


def _of(pieces: dict[int, Piece], positions: Sequence[int]) -> tuple[Piece, ...]:
    return tuple(pieces[position] for position in positions)


def _covering(span: Span, others: Sequence[Span]) -> Span:
    return span[0], max([span[1], *(end for _, end in others)])


def _pieces(
    model: LoadedModel,
    text: str,
    encoding: Encoding,
    groups: Sequence[tuple[Span, list[int]]],
    method: str,
) -> Iterator[Piece]:
    """Give the pieces of all words in reading order, from one batched run."""
    sets = list(_hidden_sets(groups))
    wanted = list(dict.fromkeys(hidden for _, *both in sets for hidden in both))
    mask = (model.mask_token, model.mask_token_id)
    encodings = [encoding.put(dict.fromkeys(hidden, mask)) for hidden in wanted]
    answers = model.run(encodings, positions=[[hidden[0]] for hidden in wanted])
    logits = {hidden: answer["logits"][0] for hidden, answer in zip(wanted, answers, strict=True)}
    for word, alone, rest in sets:
        token_id = encoding.input_ids[alone[0]]
        logs = log_softmax(logits[alone])  # (vocab,)
        rest_logs = logs if rest == alone else log_softmax(logits[rest])
        shown = logs if method == ALONE else rest_logs
        yield Piece(
            token=encoding.tokens[alone[0]],
            span=_trimmed(text, encoding.offsets[alone[0]], word),
            is_blank=token_id == model.mask_token_id,
            alone=float(logs[token_id]),
            rest=float(rest_logs[token_id]),
            guesses=tuple(
                candidate(model, int(i), float(np.exp(shown[i])))
                for i in best_first(shown, GUESSES)
            ),
        )


def _hidden_sets(
    groups: Sequence[tuple[Span, list[int]]],
) -> Iterator[tuple[Span, tuple[int, ...], tuple[int, ...]]]:
    """Give for each token its word and what to hide: itself, itself with the rest of its word."""
    for span, positions in groups:
        for number, position in enumerate(positions):
            yield span, (position,), tuple(positions[number:])


def _trimmed(text: str, span: Span, word: Span) -> Span:
    """Leave out the spaces before a word, which some tokenizers count as part of it."""
    part = text[slice(*span)]
    start = max(word[0], span[0] + len(part) - len(part.lstrip()))
    return start, max(start, span[0] + len(part.rstrip()))


def _differences(first: Sentence, second: Sentence, method: str) -> tuple[Difference, ...]:
    """Lay the words of two sentences side by side; the gains add up to that of the sentences."""
    names = [[s.text[slice(*word.span)] for word in s.words] for s in (first, second)]
    folded = [[name.casefold() for name in row] for row in names]
    matcher = SequenceMatcher(a=folded[0], b=folded[1], autojunk=False)
    return tuple(
        Difference(
            first=None if i is None else names[0][i],
            second=None if j is None else names[1][j],
            first_score=0.0 if i is None else first.words[i].score(method),
            second_score=0.0 if j is None else second.words[j].score(method),
        )
        for _, a, a_end, b, b_end in matcher.get_opcodes()
        for i, j in zip_longest(range(a, a_end), range(b, b_end))
    )


def _notices(model: LoadedModel, encoding: Encoding, hidden: Sequence[int]) -> Iterator[str]:
    read = sum(sequence == 0 for sequence in encoding.sequence_ids)
    if read > len(hidden):
        yield (
            f"Only the first {MAX_HIDDEN} of {read} tokens were hidden in turn, and the score is "
            "theirs. All of them were read."
        )
    unknown = sum(encoding.input_ids[position] == model.unknown_token_id for position in hidden)
    if unknown:
        yield (
            f"{unknown} of the tokens stand for text that the vocabulary lacks: their numbers are "
            "those of any unknown text."
        )
