"""The lens as a ladder of guesses, a chart, a grid (data for assets/lens.js), and tables."""

from __future__ import annotations

import html
from dataclasses import asdict
from typing import Any

import numpy as np
import plotly.graph_objects as go
from markupsafe import Markup
from plotly.subplots import make_subplots

from components.tasks.lens import Guess, LensResult, Path, Step
from components.views.arrays import packed
from components.views.markup import Edit, button, editable, join
from components.views.markup import finding as draw_finding
from components.views.palette import style
from components.views.wording import percent, step_name

HEADERS = ["Step", "First guesses", "Undecided (bits)", "Word followed", "Rank", "Probability"]
_LINES = (  # of the word asked for or the answer, then of the others
    {"color": "#1e7dbe", "width": 3},
    {"color": "#6c7a88", "width": 2, "dash": "dash"},
    {"color": "#6c7a88", "width": 2, "dash": "dot"},
)


def _after(step: int) -> str:
    return f"after layer {step}" if step else "in the embeddings"


def finding(result: LensResult) -> Markup:
    """State where the word that is followed becomes the first guess, or how far it comes."""
    path, layers = result.paths[0], len(result.steps) - 1
    told = _settles(path, layers) if path.settled is not None else _falls_short(result)
    place = "" if result.is_blank else f"Where “{result.tokens[result.position]}” stands, "
    if len(result.masks) > 1 and result.is_blank:
        place = f"Blank {result.masks.index(result.position) + 1}: "
    return draw_finding(
        f"{place}“{path.word}” {told}", model_id=result.model_id, notices=result.notices
    )


def _settles(path: Path, layers: int) -> str:
    first = path.settled or 0
    if first == 0:
        return f"is the first guess from the embeddings on, through all {layers} layers"
    came_back = " for good" if 1 in path.ranks[:first] else ""
    before = [f"in the embeddings it was rank {path.ranks[0]:,}"]
    if first > 1:
        before.append(f"after layer {first - 1} rank {path.ranks[first - 1]:,}")
    return f"becomes the first guess{came_back} at layer {first} of {layers}; {', '.join(before)}"


def _falls_short(result: LensResult) -> str:
    path, answer = result.paths[0], result.steps[-1].guesses[0].word
    best = min(range(len(path.ranks)), key=lambda step: path.ranks[step])
    ends = f"ends at rank {path.ranks[-1]:,}, behind “{answer}”"
    if path.ranks[best] == path.ranks[-1]:
        return f"{ends}; {_after(0)} it was rank {path.ranks[0]:,}"
    return f"{ends}; it stood highest {_after(best)}, at rank {path.ranks[best]:,}"


def ladder(result: LensResult) -> Markup:
    """Draw the guesses of every step, one step a row; a click on a word follows it."""
    path = result.paths[0]
    head = Markup(
        '<tr><th scope="col">Step</th><th scope="col">“{}”</th><th scope="col" colspan="{}">'
        'First guesses</th><th scope="col">As undecided as among</th></tr>'
    ).format(path.word, len(result.steps[0].guesses))
    rows = join([_rung(i, step, path) for i, step in enumerate(result.steps)])
    table = Markup(
        '<div class="lab-lens-scroll" tabindex="0" role="region" aria-label="Guesses of each '
        'layer"><table class="lab-lens-ladder"><thead>{}</thead><tbody>{}</tbody></table></div>'
    ).format(head, rows)
    title = "In the blank" if result.is_blank else f"At “{result.tokens[result.position]}”"
    return Markup(
        '<section class="lab-panel"><h4>{}: click a word to follow it</h4>{}</section>'
    ).format(f"{title}, layer by layer", editable("", table, css="lab-lens-follow"))


def _rung(number: int, step: Step, path: Path) -> Markup:
    cells = join(
        [_cell(guess, is_followed=guess.token_id == path.token_id) for guess in step.guesses]
    )
    return Markup(
        '<tr><th scope="row">{}</th><td class="lab-lens-rank">rank {:,}<small>{}</small></td>{}'
        '<td class="lab-lens-bits">{}<small>{:.1f} bits</small></td></tr>'
    ).format(
        step_name(number),
        path.ranks[number],
        percent(path.scores[number]),
        cells,
        choices(step.entropy),
        step.entropy,
    )


def _cell(guess: Guess, *, is_followed: bool) -> Markup:
    css = "lab-lens-word lab-lens-followed" if is_followed else "lab-lens-word"
    inside = Markup("{}<small>{}</small>").format(guess.word, percent(guess.score))
    drawn: Markup = Markup('<span class="{}">{}</span>').format(css, inside)
    if guess.word[0].isalnum():  # a piece that goes on with a word can't be asked for
        drawn = button(inside, Edit((0, 0), guess.word), css=css, title="Follow this word")
    return Markup('<td style="--strength:{:.3f}">{}</td>').format(guess.score**0.5, drawn)


def choices(bits: float) -> str:
    """Say how undecided `bits` of entropy are: as among so many words, all alike."""
    count = 2**bits
    rounded = round(count) if count < 100 else int(float(f"{count:.2g}"))
    return "1 word" if rounded == 1 else f"{rounded:,} words"


def chart(result: LensResult) -> go.Figure:
    """Draw rank and probability of the followed words from step to step."""
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.08)
    for path, line in zip(result.paths, _LINES, strict=False):
        _add_lines(figure, path, line)
    figure = style(figure, height=430)
    highest = max(max(path.ranks) for path in result.paths)
    ticks = [10**power for power in range(len(str(highest)) + 1)]
    figure.update_yaxes(
        row=1, col=1, type="log", title="rank (1 = first guess)", tickvals=ticks,
        ticktext=[f"{tick:,}" for tick in ticks],
        range=[np.log10(highest * 1.4), -0.15],
    )  # fmt: skip
    figure.update_yaxes(row=2, col=1, title="probability", tickformat=".0%", rangemode="tozero")
    figure.update_xaxes(tickvals=list(range(len(result.steps))))
    figure.update_xaxes(row=2, col=1, title="after layer (0: the embeddings)")
    figure.update_layout(legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0})
    return figure


def _add_lines(figure: go.Figure, path: Path, line: dict[str, Any]) -> None:
    name = f"“{html.escape(path.word, quote=False)}”"
    steps = list(range(len(path.ranks)))
    shared = {"name": name, "legendgroup": str(path.token_id), "line": line, "x": steps}
    shared |= {"mode": "lines+markers", "marker": {"size": 8}}
    rank = go.Scatter(
        y=path.ranks,
        hovertemplate="rank %{y:,} after layer %{x}<extra>" + name + "</extra>",
        **shared,
    )
    score = go.Scatter(
        y=path.scores,
        showlegend=False,
        hovertemplate="%{y:.2%} after layer %{x}<extra>" + name + "</extra>",
        **shared,
    )
    figure.add_trace(rank, row=1, col=1)
    figure.add_trace(score, row=2, col=1)


def grid(result: LensResult) -> dict[str, Any]:
    """Give assets/lens.js what it draws: the first guesses of every step for every token."""
    start, stop = result.window
    found = result.grid
    return {
        "steps": [step_name(step) for step in range(len(result.steps))],
        "tokens": list(result.tokens[start:stop]),
        "start": start,
        "position": result.position,
        "masks": [i - start for i in result.masks if start <= i < stop],
        "words": list(found.words),
        "best": found.guesses.shape[-1],
        "guesses": packed(found.guesses, np.uint16),  # (steps, tokens, best first)
        "scores": packed(found.scores, np.float32),
        "ownRanks": packed(found.own_ranks, np.int32),  # (steps, tokens)
        "ownScores": packed(found.own_scores, np.float32),
    }


def table(result: LensResult) -> list[list[str | int]]:
    """List for each step its guesses, and every followed word on its way."""
    return [
        [
            step_name(number),
            ", ".join(f"{guess.word} {percent(guess.score)}" for guess in step.guesses),
            f"{step.entropy:.2f}",
            path.word,
            path.ranks[number],
            percent(path.scores[number]),
        ]
        for path in result.paths
        for number, step in enumerate(result.steps)
    ]


def grid_table(result: LensResult) -> dict[str, Any]:
    """List for each token of the grid the first guess of every step."""
    first = range(*result.window)
    names = [step_name(step) for step in range(len(result.steps))]
    return {
        "headers": ["Position", "Token", *names],
        "data": [
            [position, result.tokens[position], *_column(result, column)]
            for column, position in enumerate(first)
        ],
    }


def _column(result: LensResult, column: int) -> list[str]:
    found = result.grid
    words = (found.words[i] for i in found.guesses[:, column, 0])
    scores = found.scores[:, column, 0]
    return [f"{word} {percent(float(s))}" for word, s in zip(words, scores, strict=True)]


def numbers(result: LensResult) -> dict[str, Any]:
    """Give programs what the page shows."""
    start, stop = result.window
    found = result.grid
    return {
        "model_id": result.model_id,
        "text": result.text,
        "position": result.position,
        "steps": [asdict(step) for step in result.steps],
        "paths": [asdict(path) for path in result.paths],
        "first": start,
        "tokens": list(result.tokens[start:stop]),
        "grid": [[found.words[i] for i in row] for row in found.guesses[..., 0]],  # a row a step
        "scores": found.scores[..., 0].round(6).astype(float).tolist(),
        "notices": list(result.notices),
    }
