"""ELECTRA's generator: it hides words of a text, and puts others in (Clark et al. 2020, 3.1).

The generator is a small masked language model. A chosen word, however many tokens it is, is read
as one blank; all chosen words are hidden at once, and each is filled on its own, as in training.
Only what stands as a word of its own is put in, and never the word that stood there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.errors import InputError
from components.models.encoding import Encoding, Span
from components.tasks.fill_mask import Candidate
from components.tasks.scores import softmax
from components.tasks.words import Word, check_text, split_words, tokens_by_word

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

MAX_REPLACED = 10  # words in one run


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the generator would put in place of one word, best first."""

    word: int  # its number among all words of the text
    span: Span
    original: str
    pieces: tuple[str, ...]  # the tokens that the original is for the generator
    original_score: float | None  # its own probability; None where it is several tokens
    candidates: tuple[Candidate, ...]  # scores are probabilities over the whole vocabulary


@dataclass(frozen=True, slots=True)
class Replacement:
    """One word that was replaced."""

    span: Span  # in the altered text
    original: str
    pieces: tuple[str, ...]  # the tokens that the original is for the generator
    put: str
    score: float  # what the generator gave `put`, over the whole vocabulary


@dataclass(frozen=True, slots=True)
class AlteredText:
    """A text in which the generator replaced words."""

    generator_id: str
    seed: int
    original: str
    text: str
    replacements: tuple[Replacement, ...]  # left to right, never none
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A text as the generator reads it, and the words of it that can be replaced."""

    text: str
    words: tuple[Word, ...]
    encoding: Encoding
    pieces: Mapping[int, tuple[str, ...]]  # by the number of the word; in reading order


def propose(
    model: LoadedModel, text: str, chosen: Sequence[int], *, top_k: int = 6
) -> tuple[Proposal, ...]:
    """Rank what `model` would put in place of the `chosen` words (numbers among all words).

    Numbers of what is no word, or was not read, are left out.
    """
    reading = _read(model, text)
    hidden = _known(reading, chosen)
    rows = softmax(_logits(model, reading, hidden))  # (hidden, vocab)
    return tuple(
        _proposal(model, reading, number, row, top_k)
        for number, row in zip(hidden, rows, strict=True)
    )


def replace_words(
    model: LoadedModel, text: str, chosen: Sequence[int] = (), *, count: int = 2, seed: int = 0
) -> AlteredText:
    """Replace the `chosen` words, or `count` words that are drawn; each by a word that is drawn.

    A word is drawn with the generator's own probabilities, given that it is another word. Equal
    arguments give equal texts. Half of the words stay when the words are drawn, so that there is
    something to judge by. Raises InputError for a text without a word.
    """
    seed = abs(int(seed))
    rng = np.random.default_rng(seed)
    reading = _read(model, text)
    known = _known(reading, chosen)
    hidden, notices = (known, ()) if known else _drawn_words(reading, count, rng)
    logits = _logits(model, reading, hidden)  # (hidden, vocab)
    put = [
        _drawn(model, row, _text_of(reading, number), rng)
        for number, row in zip(hidden, logits, strict=True)
    ]
    altered, replacements = _put_in(reading, hidden, put)
    return AlteredText(model.id, seed, text, altered, replacements, (*model.notices, *notices))


def _read(model: LoadedModel, text: str) -> _Reading:
    text = check_text(text, "The sentence")
    words = split_words(text, model.mask_token)
    encoding = model.encode(text)
    pieces = {
        number: tuple(encoding.tokens[i] for i in positions)
        for number, positions in enumerate(tokens_by_word(words, encoding))
        if positions and words[number].is_letters(text)
    }
    if not pieces:
        raise InputError("There is no word here that could be replaced. Type a sentence.")
    return _Reading(text, words, encoding, pieces)


def _text_of(reading: _Reading, number: int) -> str:
    return reading.text[slice(*reading.words[number].span)]


def _known(reading: _Reading, chosen: Sequence[int]) -> list[int]:
    return sorted(set(chosen) & set(reading.pieces))[:MAX_REPLACED]


def _drawn_words(
    reading: _Reading, count: int, rng: np.random.Generator
) -> tuple[list[int], tuple[str, ...]]:
    """Draw words to be replaced, at most half of those that there are."""
    asked = max(1, min(int(count), MAX_REPLACED))
    given = min(asked, max(1, len(reading.pieces) // 2))
    numbers = rng.choice(list(reading.pieces), size=given, replace=False)
    notices = (
        (f"Half of the words must stay, so {given} and not {asked} were replaced.",)
        if given < asked
        else ()
    )
    return sorted(int(number) for number in numbers), notices


def _logits(model: LoadedModel, reading: _Reading, hidden: Sequence[int]) -> NDArray[np.float32]:
    """Score the vocabulary at the blanks of the `hidden` words: (hidden, vocab)."""
    if not hidden:
        return np.zeros((0, 1), np.float32)
    spans = [reading.words[number].span for number in hidden]
    encoding, positions = with_blanks(
        reading.encoding, spans, model.mask_token, model.mask_token_id
    )
    return model.run([encoding], positions=[positions])[0]["logits"]


def with_blanks(
    encoding: Encoding, spans: Sequence[Span], token: str, token_id: int
) -> tuple[Encoding, tuple[int, ...]]:
    """Put one mask in place of all tokens of each of `spans`; give the positions of the masks."""
    kept: list[int] = []  # positions in `encoding`
    blanks: dict[Span, int] = {}  # span to its position in the new encoding
    for position, (start, end) in enumerate(encoding.offsets):
        is_text = encoding.sequence_ids[position] == 0
        span = next((s for s in spans if is_text and s[0] < end and start < s[1]), None)
        if span is None or span not in blanks:
            if span is not None:
                blanks[span] = len(kept)
            kept.append(position)
    places = {at: span for span, at in blanks.items()}
    segments = encoding.token_type_ids
    masked = Encoding(
        tokens=tuple(token if at in places else encoding.tokens[i] for at, i in enumerate(kept)),
        input_ids=tuple(
            token_id if at in places else encoding.input_ids[i] for at, i in enumerate(kept)
        ),
        token_type_ids=None if segments is None else tuple(segments[i] for i in kept),
        offsets=tuple(places.get(at, encoding.offsets[i]) for at, i in enumerate(kept)),
        sequence_ids=tuple(encoding.sequence_ids[i] for i in kept),
        word_ids=tuple(encoding.word_ids[i] for i in kept),
        full_length=encoding.full_length - (len(encoding) - len(kept)),
    )
    return masked, tuple(blanks.values())


def _proposal(
    model: LoadedModel, reading: _Reading, number: int, scores: NDArray[np.float64], top_k: int
) -> Proposal:
    original, pieces = _text_of(reading, number), model.pieces(_text_of(reading, number))
    ranked = _other_words(model, scores, original)
    return Proposal(
        word=number,
        span=reading.words[number].span,
        original=original,
        pieces=reading.pieces[number],
        original_score=float(scores[pieces[0][0]]) if len(pieces) == 1 else None,
        candidates=tuple(
            Candidate(model.token(i), word, i, float(scores[i]))
            for (i, word), _ in zip(ranked, range(top_k), strict=False)
        ),
    )


def _drawn(
    model: LoadedModel, logits: NDArray[np.float32], original: str, rng: np.random.Generator
) -> tuple[str, float]:
    """Draw another word than `original`; give it, and its probability over the vocabulary.

    With Gumbel noise on the logits the order is one of drawing without putting back, so the first
    that is another word was drawn from the probabilities of the other words (Maddison et al. 2014).
    """
    noisy = logits + rng.gumbel(size=logits.shape)  # (vocab,)
    found = next(_other_words(model, noisy, original), None)
    if found is None:
        raise InputError(f"{model.id} knows no other word for “{original}”. Choose another word.")
    return found[1], float(softmax(logits)[found[0]])


def _other_words(
    model: LoadedModel, scores: NDArray[np.floating], original: str
) -> Iterator[tuple[int, str]]:
    """Give (id, word) of each token that is a word and not `original`, highest score first."""
    own = [token_id for token_id, _ in model.pieces(original)]
    for token_id in map(int, np.argsort(-scores, kind="stable")):
        word = model.readable(model.token(token_id))
        if not word[:1].isalnum() or word.casefold() == original.casefold():
            continue
        ids = [i for i, _ in model.pieces(word)]
        if ids == [token_id] != own:  # else it is no word: a piece, or a special token
            yield token_id, _cased(word, original) if model.lowercases else word


def _cased(word: str, like: str) -> str:
    """Write `word` with capitals where `like` has them: else a small letter would give it away."""
    if len(like) > 1 and like.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if like[:1].isupper() else word


def _put_in(
    reading: _Reading, hidden: Sequence[int], put: Sequence[tuple[str, float]]
) -> tuple[str, tuple[Replacement, ...]]:
    text, end, made = "", 0, []
    for number, (word, score) in zip(hidden, put, strict=True):
        start, stop = reading.words[number].span
        text += reading.text[end:start]
        span = (len(text), len(text) + len(word))
        made.append(
            Replacement(span, reading.text[start:stop], reading.pieces[number], word, score)
        )
        text, end = text + word, stop
    return text + reading.text[end:], tuple(made)
