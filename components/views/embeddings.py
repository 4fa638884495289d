"""The vectors of a text: their shape in figures, every number as a stripe of heat, a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup

from components.tasks.embeddings import EmbeddingsResult
from components.views.arrays import packed
from components.views.download import Cell, csv_link
from components.views.markup import finding as draw_finding
from components.views.markup import join
from components.views.wording import step_name

_FIRST = 8  # numbers of a vector that the table writes out
HEADERS = ["Position", "Token", "Length", *(f"Number {i}" for i in range(1, _FIRST + 1))]
_MOST_IN_FILE = 20_000  # numbers of a file inside a link


def finding(result: EmbeddingsResult) -> Markup:
    """State the shape that the module prints, and what it means."""
    _, tokens, hidden = result.shape
    return draw_finding(
        f"This text became {tokens} × {hidden} numbers: {hidden} for each of its {tokens} tokens",
        model_id=result.model_id,
        notices=result.notices,
    )


def shape(result: EmbeddingsResult) -> Markup:
    """Write what the module's program prints, each number with its meaning."""
    meanings = ("text", "tokens, special ones included", "numbers a token")
    parts = [
        Markup("<div><b>{}</b><span>{}</span></div>").format(number, meaning)
        for number, meaning in zip(result.shape, meanings, strict=True)
    ]
    printed = f"torch.Size([{', '.join(map(str, result.shape))}])"
    return Markup(
        '<div class="lab-shape"><pre>print(outputs.last_hidden_state.shape)\n<b>{}</b></pre>'
        '<div class="lab-shape-parts">{}</div></div>'
    ).format(printed, join(parts))


def loud(result: EmbeddingsResult) -> Markup:
    """Say which number is the largest one in most of the tokens, if there is one."""
    found, tokens = result.loud, len(result.tokens)
    if 2 * found.tokens < tokens:
        return Markup("")
    return Markup(
        '<p class="lab-aside"><b>The loudest number.</b> In the last layer number {} is farthest '
        "from zero in {} of {} tokens. A number that is large in many tokens makes all vectors "
        "lean the same way, and their cosines high.</p>"
    ).format(found.number, found.tokens, tokens)


def strips(result: EmbeddingsResult) -> dict[str, Any]:
    """Give assets/embeddings.js what it draws: every number of every layer, in 16 bits.

    A layer's numbers are divided by its largest one (`peaks`); what is drawn as full colour
    (`full`) is exceeded by one number in a hundred.
    """
    sizes = np.abs(result.states)  # (layers + 1, tokens, hidden)
    peaks = np.maximum(sizes.max(axis=(1, 2)), 1e-12)
    scaled = np.round(result.states / peaks[:, None, None] * 32_767)
    return {
        "steps": [step_name(step) for step in range(len(result.states))],
        "tokens": list(result.tokens[: result.shown]),
        "special": list(result.special[: result.shown]),
        "hidden": result.shape[-1],
        "values": packed(scaled, np.int16),
        "peaks": peaks.astype(float).tolist(),
        "full": np.maximum(np.quantile(sizes, 0.99, axis=(1, 2)), 1e-12).astype(float).tolist(),
    }


def table(result: EmbeddingsResult) -> list[list[str | int]]:
    """List for every token drawn the length of its last vector, and its first numbers."""
    return [
        [i, result.tokens[i], f"{np.linalg.norm(row):.3f}", *(f"{x:.4f}" for x in row[:_FIRST])]
        for i, row in enumerate(result.states[-1].astype(float))
    ]


def download(result: EmbeddingsResult) -> Markup:
    """Offer the vectors of the last layer as a CSV file: a row a token."""
    hidden = result.shape[-1]
    rows = result.states[-1][: max(1, _MOST_IN_FILE // hidden)].astype(float)
    headers = ["Position", "Token", *(str(i) for i in range(1, hidden + 1))]
    lines: list[list[Cell]] = [
        [i, result.tokens[i], *(float(f"{x:.5f}") for x in row)] for i, row in enumerate(rows)
    ]
    return csv_link("vectors.csv", headers, lines)


def numbers(result: EmbeddingsResult, step: int) -> dict[str, Any]:
    """Give programs the vectors of one step, a row of `states`."""
    return {
        "model_id": result.model_id,
        "text": result.text,
        "shape": list(result.shape),
        "layer": step,
        "tokens": list(result.tokens[: result.shown]),
        "vectors": result.states[step].astype(float).round(6).tolist(),  # a row a token
        "notices": list(result.notices),
    }
