"""The attention result as a finding, the picture's data (for assets/attention), and tables."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from markupsafe import Markup

from components.models.catalog import find_card
from components.tasks.attention import AttentionResult, Look, Share, View
from components.tasks.mixing import Mix
from components.tasks.scores import softmax
from components.tasks.units import Unit
from components.views import answers, heads
from components.views.markup import EMPTY, Bar, bars
from components.views.markup import finding as draw_finding
from components.views.packing import packed, text
from components.views.wording import name_of, percent, shortened, signed

HEADERS = ["Position", "Token", "looks at position", "Token there", "Weight"]
MATCH_HEADERS = ["Token", "Part", "Scaled score", "Weight"]
PROGRAM_ROWS = 128  # of the endpoint: a row is as long as the text
_MAX_LINKS = 100  # of the table
_MAX_KEYS = 32  # of the query · key view
_MAX_LABEL = 24  # characters of a token in the picture
_LAYER_BYTES = 27_000  # of all heads of a layer, or only the chosen one is sent
_SIDE_TILE = 24  # stretches a side of a small tile
_TILE_BYTES = 20_000  # of all large tiles together

_MIXED = {
    Mix.MEAN: "the mean over the heads of layer {}",
    Mix.MAX: "the largest over the heads of layer {}",
    Mix.ROLLOUT: "attention rolled out through layers 1 to {}",
}


def finding(result: AttentionResult) -> Markup:
    """State what the model answered, and where the chosen head looked meanwhile."""
    look, statistics = result.look, result.statistics
    habit = heads.habit(statistics.pattern(look.layer, look.head), statistics)
    answer = result.reading.answer
    said = EMPTY
    if answer is not None:
        said = Markup('<p class="lab-answered">The model answers: <b>{}</b></p>').format(
            answers.sentence(answer)
        )
    stated = draw_finding(
        f"{name_of(look.layer, look.head).capitalize()} {habit}",
        model_id=result.model_id,
        notices=result.notices,
    )
    return said + stated


def picture(result: AttentionResult) -> dict[str, Any]:
    """Give assets/attention what the view needs, and no more.

    All heads of a layer where they are small, so that another head needs no request; else the
    chosen one alone, and of the others a thumbnail.
    """
    look = result.look
    drawn: dict[str, Any] = {
        "view": look.view.value,
        "title": title(look),
        "caption": _caption(result),
        "layer": look.layer,
        "head": look.head,
        "token": look.token,
        "ceiling": 1.0,
        **_tiles(result),
    }
    if look.view in (View.HEAD, View.MATRIX):
        drawn |= _matrices(result)
    if result.match is not None:
        drawn["match"] = _match(result)
    return drawn


def title(look: Look, head: int | None = None) -> str:
    """Say what a picture shows."""
    at = name_of(look.layer, look.head if head is None else head).capitalize()
    if look.view is View.LAYER:
        return f"Layer {look.layer + 1}: all heads"
    if look.view is View.MODEL:
        return "All layers (rows) and heads (columns)"
    if look.view is View.MATCH:
        return f"{at}: a query meets the keys"
    if look.mix is not Mix.HEAD:
        mixed = _MIXED[look.mix].format(look.layer + 1)
        return f"{mixed[0].upper()}{mixed[1:]}"
    manner = "is a row, and what it looks at are columns"
    if look.view is View.HEAD:
        manner = "on the left looks at tokens on the right"
    return f"{at}: each token {manner}"


def _caption(result: AttentionResult) -> str:
    card = find_card(result.model_id)
    model = result.model_id if card is None else f"{result.model_id} ({card.family.name} miniature)"
    read = " / ".join(shortened(part, 160) for part in result.reading.texts if part)
    answer = result.reading.answer
    said = f" · {answers.sentence(answer)}" if answer is not None else ""
    return f"{model} · {read}{said}"


def _matrices(result: AttentionResult) -> dict[str, Any]:
    weights, outside, look = result.weights, result.outside, result.look
    if weights.size > _LAYER_BYTES and len(weights) > 1:
        weights, outside = weights[look.head][None], outside[look.head][None]
    drawn: dict[str, Any] = {
        "rows": _labels(result.rows),
        "specialRows": _special(result.rows),
        "titles": [title(look, head) for head in range(len(weights))],
        "matrices": packed(weights),
    }
    if result.columns != result.rows:
        drawn |= {"columns": _labels(result.columns), "specialColumns": _special(result.columns)}
    if look.mix is not Mix.HEAD:  # of 512 tokens none gets much: compared within the picture
        drawn["ceiling"] = float(weights.max())
    if outside.max() >= 0.005:
        drawn["outside"] = text(np.round(255 * outside).astype(np.uint8))
    return drawn


def _labels(units: tuple[Unit, ...]) -> list[str]:
    return [shortened(unit.label, _MAX_LABEL) for unit in units]


def _special(units: tuple[Unit, ...]) -> list[int]:
    return [i for i, unit in enumerate(units) if unit.sequence is None]


def _tiles(result: AttentionResult) -> dict[str, Any]:
    """Give a thumbnail of each head that can be chosen, with what it does."""
    look, statistics = result.look, result.statistics
    layers = range(result.layers) if look.view is View.MODEL else range(look.layer, look.layer + 1)
    most = int((_TILE_BYTES / (len(layers) * result.heads)) ** 0.5)
    if look.view not in (View.MODEL, View.LAYER):
        most = min(most, _SIDE_TILE)
    tiles = result.tiles(layers, most)  # (layers, heads, side, side)
    patterns = [statistics.pattern(n, head) for n in layers for head in range(result.heads)]
    return {
        "tiles": packed(tiles.reshape(-1, *tiles.shape[2:])),
        "tileset": {
            "layers": list(layers),
            "perLayer": result.heads,
            "notes": [heads.note(pattern, statistics) for pattern in patterns],
        },
    }


def _match(result: AttentionResult) -> dict[str, Any]:
    """Give the keys that the query meets: all of a short text, else those with most weight."""
    match = result.match
    assert match is not None
    weights = softmax(match.scores)  # (tokens,)
    strongest = np.argsort(-weights, kind="stable")[:_MAX_KEYS]
    positions = sorted(int(i) for i in strongest)
    parts = list(match.parts)
    columns = [*match.parts.values(), *([match.scores] if len(parts) > 1 else [])]
    left = len(weights) - len(positions)
    return {
        "token": result.tokens[result.look.token],
        "tokens": [shortened(result.tokens[i], _MAX_LABEL) for i in positions],
        "positions": positions,
        "parts": parts,
        "query": _rounded(match.query),
        "products": [_rounded(match.query * match.keys[i]) for i in positions],
        "scores": [[round(float(column[i]), 4) for column in columns] for i in positions],
        "weights": _rounded(weights[positions]),
        "rest": f"{left} other tokens together: {percent(1 - float(weights[positions].sum()))}"
        if left
        else "",
    }


def _rounded(values: Any) -> list[float]:
    return [float(f"{value:.3g}") for value in values]


def shares(result: AttentionResult) -> Markup:
    """Draw what part of the head's attention goes where, beside an even spread."""
    rows = [
        Bar(heads.name(s.target, s.token).removeprefix("the "), s.score, remark=_remark(s))
        for s in result.shares
    ]
    return Markup(
        '<section class="lab-panel"><h4>Where head {} of layer {} looks, as part of all its '
        "attention. The parts overlap; spread evenly, one token would get {}.</h4>{}</section>"
    ).format(
        result.look.head + 1, result.look.layer + 1, percent(1 / len(result.tokens)), bars(rows)
    )


def _remark(share: Share) -> str:
    """Say what many tokens together would get anyway."""
    return (
        f"spread evenly it would be {percent(share.even)}" if share.target == "other text" else ""
    )


def table(result: AttentionResult) -> list[list[str | int]]:
    """List the strongest links of what is drawn, exact."""
    weights = result.chosen  # (rows, columns)
    strongest = np.argsort(-weights, axis=None, kind="stable")[:_MAX_LINKS]
    rows: list[list[str | int]] = []
    for i, j in zip(*np.unravel_index(strongest, weights.shape), strict=True):
        one, other = result.rows[i], result.columns[j]
        weight = percent(float(weights[i, j]))
        rows.append([one.positions[0], one.label, other.positions[0], other.label, weight])
    return rows


def match_table(result: AttentionResult) -> list[list[str]]:
    """List the scores that the chosen token's query makes with each key, part by part."""
    if result.match is None:
        return []
    drawn, rows = _match(result), []
    for i, position in enumerate(drawn["positions"]):
        label = result.tokens[position]
        named = drawn["parts"] + (["score"] if len(drawn["parts"]) > 1 else [])
        for part, score in zip(named, drawn["scores"][i], strict=True):
            is_last = part == named[-1]
            rows.append([label, part, signed(score), percent(drawn["weights"][i] * is_last)])
    return rows


def numbers(result: AttentionResult, first: int) -> dict[str, Any]:
    """Give programs what is looked at: tokens, rows of weights from `first`, and what heads do."""
    statistics = result.statistics
    last = first + PROGRAM_ROWS
    answer = result.reading.answer
    return {
        "model_id": result.model_id,
        "answer": None if answer is None else answers.sentence(answer),
        "layer": result.look.layer,
        "head": result.look.head,
        "mix": result.look.mix.value,
        "layers": result.layers,
        "heads": result.heads,
        "tokens": [unit.label for unit in result.columns],
        "first": first,
        "weights": result.chosen[first:last].round(6).astype(float).tolist(),  # (rows, tokens)
        "shares": [asdict(share) for share in result.shares],
        "patterns": [
            [
                heads.note(statistics.pattern(layer, head), statistics)
                for head in range(result.heads)
            ]
            for layer in range(result.layers)
        ],
        "notices": list(result.notices),
    }
