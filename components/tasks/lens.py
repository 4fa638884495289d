"""The lens: what every layer would put into a blank (the logit lens, nostalgebraist 2020)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from components.models.encoding import Encoding, Span
from components.tasks.fill_mask import entry_of
from components.tasks.words import check_position, check_text, reading_notices, with_mask

if TYPE_CHECKING:
    from components.models.lens import LensReading
    from components.models.loaded import LoadedModel

MAX_SHOWN = 64  # tokens read at once: each layer scores the whole vocabulary at every one
GUESSES = 5  # given of each layer and token
MAX_WORD = 100  # characters of a word to follow


@dataclass(frozen=True, slots=True)
class Guess:
    """One entry of the vocabulary that a layer would put in, and how probable it makes it."""

    token: str  # as in the vocabulary
    word: str  # without the mark for the beginning of a word
    token_id: int
    score: float  # probability over the whole vocabulary


@dataclass(frozen=True, slots=True)
class Step:
    """What one layer would put at the position looked at; step 0 is the embeddings."""

    guesses: tuple[Guess, ...]  # best first
    entropy: float  # bits: how undecided the layer is


@dataclass(frozen=True, slots=True)
class Path:
    """One word on its way through the layers: a rank (1 is best) and a probability a step."""

    word: str
    token_id: int
    ranks: tuple[int, ...]
    scores: tuple[float, ...]

    @property
    def settled(self) -> int | None:
        """The step from which on it stays the first guess; None when the last has another."""
        if self.ranks[-1] != 1:
            return None
        return next((i + 1 for i in reversed(range(len(self.ranks))) if self.ranks[i] != 1), 0)


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The first guesses of every step for every token in the window."""

    words: tuple[str, ...]  # each word that is guessed somewhere, once
    guesses: NDArray[np.int64]  # (layers + 1, tokens, best first): indices of words
    scores: NDArray[np.float32]  # as guesses: probabilities
    own_ranks: NDArray[np.int64]  # (layers + 1, tokens): of the token that stands there
    own_scores: NDArray[np.float32]  # as own_ranks


@dataclass(frozen=True, slots=True, eq=False)
class LensResult:
    """The layers of `model_id` reading one position of `text`, and beside it all the others."""

    model_id: str
    text: str  # with the model's own mask token
    tokens: tuple[str, ...]  # everything that was read
    masks: tuple[int, ...]  # the positions that are blanks
    position: int  # the one looked at
    steps: tuple[Step, ...]  # the embeddings, then every layer
    paths: tuple[Path, ...]  # the word asked for, if any, the answer, the token that stands there
    window: Span  # positions of the grid, at most MAX_SHOWN
    grid: Grid
    notices: tuple[str, ...]

    @property
    def is_blank(self) -> bool:
        """Whether a mask stands at the position looked at."""
        return self.position in self.masks


def predict(
    model: LoadedModel, text: str, *, word: str = "", position: int | str | None = None
) -> LensResult:
    """Let the masked-word head read what each layer holds at every token of `text`.

    `word` is followed through the layers beside the final answer. `position` is the token looked
    at: without it the first blank, or, where there is none, the last word. Raises InputError for
    a text that cannot be read, a word that is too long, or a position that is not there.
    """
    text, spellings = with_mask(check_text(text, "The text"), model.mask_token)
    encoding = model.encode(text, literal=model.mask_token not in text)
    masks = encoding.positions_of(model.mask_token_id)
    at = _position(encoding, masks, text, position)
    asked, not_token = _asked(model, word)
    window = _window(at, len(encoding))
    places = range(*window)
    followed = [[encoding.input_ids[i], *asked] for i in places]
    reading = model.lens(encoding, list(places), followed, top_k=GUESSES)
    return LensResult(
        model_id=model.id,
        text=text,
        tokens=tuple(_spelled(model, token) for token in encoding.tokens),
        masks=masks,
        position=at,
        steps=_steps(model, reading, at - window[0]),
        paths=_paths(model, reading, at - window[0], at not in masks),
        window=window,
        grid=_grid(model, reading),
        notices=(
            *model.notices,
            *reading_notices(model.mask_token, spellings, encoding),
            *not_token,
            *_place_notices(model, encoding, masks, at),
            *_window_notices(window, encoding),
        ),
    )


def _position(encoding: Encoding, masks: tuple[int, ...], text: str, asked: object) -> int:
    """Give the position to look at; `asked` is one of those counted from 0, or nothing."""
    typed = check_position(asked, len(encoding))
    if typed is None:
        return masks[0] if masks else _last_word(encoding, text)
    return typed


def _last_word(encoding: Encoding, text: str) -> int:
    """Give the last position that holds letters or digits of the text, else the first of all."""
    typed = [
        i
        for i, (sequence, span) in enumerate(
            zip(encoding.sequence_ids, encoding.offsets, strict=True)
        )
        if sequence is not None and any(c.isalnum() for c in text[slice(*span)])
    ]
    return typed[-1] if typed else 0


def _asked(model: LoadedModel, word: str) -> tuple[list[int], list[str]]:
    """Give the id of the word to follow, or a sentence that says why it cannot be followed."""
    if not word.strip():
        return [], []
    check_text(word, "The word to follow", MAX_WORD)
    word = word.strip()
    token_id, pieces = entry_of(model, word)
    if token_id is not None:
        return [token_id], []
    notice = f"“{word}” is not one token here: {' + '.join(pieces)}. A lens follows single tokens"
    return [], [f"{notice}, so only the answer is followed."]


def _window(position: int, length: int) -> Span:
    start = max(0, min(position - MAX_SHOWN // 2, length - MAX_SHOWN))
    return start, min(start + MAX_SHOWN, length)


def _spelled(model: LoadedModel, token: str) -> str:
    """Spell a token for the eye; the mark of a piece that goes on with a word stays."""
    return token.removeprefix(model.family.word_prefix) or token


def _steps(model: LoadedModel, reading: LensReading, column: int) -> tuple[Step, ...]:
    ids, scores = reading.token_ids[:, column], reading.scores[:, column]  # (layers + 1, best)
    return tuple(
        Step(
            tuple(_guess(model, int(i), float(s)) for i, s in zip(*row, strict=True)),
            float(entropy),
        )
        for *row, entropy in zip(ids, scores, reading.entropies[:, column], strict=True)
    )


def _guess(model: LoadedModel, token_id: int, score: float) -> Guess:
    token = model.token(token_id)
    return Guess(token, _spelled(model, token), token_id, score)


def _paths(
    model: LoadedModel, reading: LensReading, column: int, with_own: bool
) -> tuple[Path, ...]:
    """Follow the word asked for, the answer and, if it is a word, the token that stands there."""
    own, *others = range(reading.followed_ids.shape[1])
    paths: dict[int, Path] = {}
    for i in (*others, *([own] if with_own else [])):
        token_id = int(reading.followed_ids[column, i])
        paths.setdefault(
            token_id,
            Path(
                _spelled(model, model.token(token_id)),
                token_id,
                tuple(reading.ranks[:, column, i].tolist()),
                tuple(reading.followed_scores[:, column, i].tolist()),
            ),
        )
    return tuple(paths.values())


def _grid(model: LoadedModel, reading: LensReading) -> Grid:
    ids, guesses = np.unique(reading.token_ids, return_inverse=True)
    return Grid(
        words=tuple(_spelled(model, model.token(int(i))) for i in ids),
        guesses=guesses.reshape(reading.token_ids.shape),
        scores=reading.scores,
        own_ranks=reading.ranks[..., 0],
        own_scores=reading.followed_scores[..., 0],
    )


def _place_notices(
    model: LoadedModel, encoding: Encoding, masks: tuple[int, ...], at: int
) -> Iterator[str]:
    if len(masks) > 1 and at == masks[0]:
        yield (
            f"There are {len(masks)} blanks, and this is the first. Press another token of the "
            "grid to look at that one."
        )
    if not masks:
        yield (
            f"There is no blank: “{_spelled(model, encoding.tokens[at])}” is looked at where the "
            "model can read it. Press another token of the grid, or write "
            f"{model.mask_token} in place of a word."
        )


def _window_notices(window: Span, encoding: Encoding) -> Iterator[str]:
    if window[1] - window[0] < len(encoding):
        yield (
            f"The grid shows tokens {window[0]} to {window[1] - 1} of {len(encoding)}, at most "
            f"{MAX_SHOWN} at once, around the one looked at. All of them were read."
        )
