"""Attention: where each token looks, head by head (Vaswani et al. 2017, 3.2; Clark et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from components.errors import InputError
from components.models.encoding import Encoding, Span
from components.tasks.words import check_text, with_mask

if TYPE_CHECKING:
    from components.models.loaded import LoadedModel

MAX_SHOWN = 128  # tokens drawn at once: more lines than that freeze a browser

Target = Literal["itself", "previous", "next", "first", "separator", "other text", "word"]


@dataclass(frozen=True, slots=True)
class Share:
    """How much of all the attention of a head goes to one kind of target."""

    target: Target
    token: str  # as shown, for the targets that are one token; else empty
    score: float  # 0 to 1; targets overlap, so scores need not sum to one
    even: float  # what it would be if every token looked everywhere alike


@dataclass(frozen=True, slots=True, eq=False)
class AttentionResult:
    """One layer's attention over everything that was read; `head` is the chosen one."""

    model_id: str
    layer: int  # zero-based, as `head`
    head: int
    layers: int  # how many the model has
    heads: int
    tokens: tuple[str, ...]  # as shown: without the mark for the beginning of a word
    sequence_ids: tuple[int | None, ...]  # 0 the text, 1 the second one, None a special token
    weights: NDArray[np.float32]  # (heads, queries, keys); every row sums to one
    window: Span  # positions to draw, at most MAX_SHOWN
    shares: tuple[Share, ...]  # of the chosen head, all rows and columns, largest first
    notices: tuple[str, ...]

    @property
    def shown(self) -> NDArray[np.float32]:
        """The part of every head inside the window, (heads, drawn queries, drawn keys)."""
        part = slice(*self.window)
        return self.weights[:, part, part]

    @property
    def outside(self) -> NDArray[np.float32]:
        """What each drawn row gives to tokens outside the window, (heads, drawn queries)."""
        rest: NDArray[np.float32] = np.clip(1 - self.shown.sum(axis=-1), 0, 1)
        return rest


def predict(
    model: LoadedModel, text: str, pair: str | None = "", *, layer: int, head: int, first: int = 0
) -> AttentionResult:
    """Look at `head` of `layer`, both zero-based, while `model` reads `text`, or a pair.

    `model` must have been loaded with attentions; `first` is the first token to draw. An index
    that is too large is replaced by the last one, with a notice. Raises InputError for a text
    that cannot be read, and for a negative or fractional index.
    """
    text, pair, spellings = _checked_texts(model, text, pair)
    at, of = _index(layer, model.layers, "layer"), _index(head, model.heads, "head")
    # A typed special token is text like any other, unless a mask is there to be looked at.
    literal = model.mask_token not in f"{text} {pair}"
    encoding = model.encode(text, pair, literal=literal)
    weights = _weights(model, encoding, at)  # (heads, queries, keys)
    tokens = _shown_tokens(model, encoding, (text, pair or ""))
    return AttentionResult(
        model_id=model.id,
        layer=at,
        head=of,
        layers=model.layers,
        heads=model.heads,
        tokens=tokens,
        sequence_ids=encoding.sequence_ids,
        weights=weights,
        window=_window(first, len(encoding)),
        shares=_shares(weights[of], tokens, encoding.sequence_ids),
        notices=(
            *model.notices,
            *_reading_notices(model, spellings, encoding),
            *_index_notices(model, "layer", layer, at, model.layers),
            *_index_notices(model, "head", head, of, model.heads),
        ),
    )


def _checked_texts(
    model: LoadedModel, text: object, pair: object
) -> tuple[str, str | None, tuple[str, ...]]:
    first, met = with_mask(check_text(text, "The text"), model.mask_token)
    if pair is None or (isinstance(pair, str) and not pair.strip()):
        return first, None, met
    second, more = with_mask(check_text(pair, "The second text"), model.mask_token)
    return first, second, tuple(dict.fromkeys((*met, *more)))


def _index(value: object, count: int, name: str) -> int:
    """Give `value` as an index below `count`; negative ones would silently mean the last."""
    if not isinstance(value, (int, float)) or value != value or value % 1:
        raise InputError(
            f"{str(value)[:20]!r} is no {name}. Choose a whole number from 0 to {count - 1}."
        )
    if value < 0:
        raise InputError(
            f"There is no {name} {value:g}: they are counted from 0, the first, to {count - 1}, "
            "the last. Choose one of those."
        )
    return int(min(value, count - 1))


def _weights(model: LoadedModel, encoding: Encoding, layer: int) -> NDArray[np.float32]:
    attentions = model.run([encoding], attentions=True)[0]["attentions"]
    weights = attentions[layer]  # (heads, queries, keys)
    # Half precision rounds every weight; divided by their sum, the rows sum to one again.
    whole: NDArray[np.float32] = weights / weights.sum(axis=-1, keepdims=True)
    return whole


def _window(first: object, length: int) -> Span:
    start = min(_index(first, max(length, 1), "token"), max(length - MAX_SHOWN, 0))
    return start, min(start + MAX_SHOWN, length)


def _shown_tokens(
    model: LoadedModel, encoding: Encoding, texts: tuple[str, str]
) -> tuple[str, ...]:
    """Spell every token for the eye: as the vocabulary does where that can be read.

    Families that mark the beginning of a word spell other letters byte by byte ("Ã©" for "é"),
    so there the piece of the typed text is taken.
    """
    if model.family.continuation_prefix:
        return encoding.tokens
    spelled = []
    places = zip(encoding.tokens, encoding.sequence_ids, encoding.offsets, strict=True)
    for token, sequence, span in places:
        typed = "" if sequence is None else texts[sequence][slice(*span)].strip()
        # a lone half of a character can't be sent as UTF-8
        spelled.append(typed.encode("utf-8", "replace").decode("utf-8") or token)
    return tuple(spelled)


def _shares(
    weights: NDArray[np.float32], tokens: tuple[str, ...], sequence_ids: tuple[int | None, ...]
) -> tuple[Share, ...]:
    """Measure what part of all attention goes to simple targets; the largest part first."""
    shares = [
        # every row sums to one, so all attention together is one for each token
        Share(target, token, float(weights[cells].sum() / len(tokens)), float(cells.mean()))
        for target, token, cells in _targets(weights, tokens, sequence_ids)
    ]
    return tuple(sorted(shares, key=lambda share: -share.score))


def _targets(
    weights: NDArray[np.float32], tokens: tuple[str, ...], sequence_ids: tuple[int | None, ...]
) -> Iterator[tuple[Target, str, NDArray[np.bool_]]]:
    """Give each target, its token if it is one, and its cells, (queries, keys)."""
    count = len(tokens)
    special = np.array([sequence is None for sequence in sequence_ids])
    later = special & (np.arange(count) > 0)  # (keys,)
    yield "itself", "", np.eye(count, dtype=bool)
    yield "previous", "", np.eye(count, k=-1, dtype=bool)
    yield "next", "", np.eye(count, k=1, dtype=bool)
    if special[0]:
        yield "first", tokens[0], _column(np.arange(count) == 0)
    if later.any():
        yield "separator", tokens[int(later.argmax())], _column(later)
    if not special.all():
        most = int(np.where(special, -1, weights.mean(axis=0)).argmax())
        yield "word", tokens[most], _column(np.arange(count) == most)
    if 1 in sequence_ids:
        side = np.array([-1 if sequence is None else sequence for sequence in sequence_ids])
        crosses = (side[:, None] + side[None, :] == 1) & ~special[:, None] & ~special[None, :]
        yield "other text", "", crosses


def _column(chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Choose the same keys in every row, (queries, keys)."""
    return np.broadcast_to(chosen, (len(chosen), len(chosen)))


def _reading_notices(
    model: LoadedModel, spellings: tuple[str, ...], encoding: Encoding
) -> Iterator[str]:
    if spellings:
        yield f"{' and '.join(spellings)} was read as {model.mask_token}."
    if encoding.is_truncated:
        yield f"Only the first {len(encoding)} of {encoding.full_length} tokens were read."


def _index_notices(
    model: LoadedModel, name: str, asked: float, given: int, count: int
) -> Iterator[str]:
    if asked > given:
        yield (
            f"{model.id} has {count} {name}s, counted from 0: {name} {given}, the last, is shown "
            f"in place of {name} {asked:g}."
        )
