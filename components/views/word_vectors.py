"""One word's vectors as a map and a square of cosines (data for assets), a chart, a table."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import plotly.graph_objects as go
from markupsafe import Markup
from plotly.subplots import make_subplots

from components.tasks.word_vectors import Alike, Step, Verdict, WordVectorsResult
from components.views.arrays import packed
from components.views.download import Cell, csv_link
from components.views.markup import finding as draw_finding
from components.views.palette import style
from components.views.wording import cosine, percent, step_name

HEADERS = [
    "Step",
    "Within a sense",
    "Between senses",
    "All pairs",
    "Random tokens",
    "Within, mean taken away",
    "Between, mean taken away",
    "All, mean taken away",
    "Nearest is of its own sense",
    "Spread on the map",
]
_CLEAR = 0.05  # share of chance above which two senses are not called told apart
_LINES = {  # as in assets/style.css: blue for alike, orange for apart
    "within": {"color": "#1e7dbe", "width": 3},
    "between": {"color": "#d07020", "width": 3, "dash": "dash"},
    "all": {"color": "#1e7dbe", "width": 3},
    "random": {"color": "#6c7a88", "width": 2, "dash": "dot"},
}
_NAMES = {
    "within": "within a sense",
    "between": "between the senses",
    "all": "all pairs",
    "random": "random tokens",
}


def finding(result: WordVectorsResult) -> Markup:
    """State which layer tells the senses apart best, or how alike the occurrences are."""
    told = _alone(result) if result.verdict is None else _apart(result, result.verdict)
    return draw_finding(told, model_id=result.model_id, notices=result.notices)


def _apart(result: WordVectorsResult, verdict: Verdict) -> str:
    alike = result.steps[verdict.best].raw
    layer, word = step_name(verdict.best), result.word
    within, between = cosine(alike.within or 0), cosine(alike.between or 0)
    if verdict.chance <= _CLEAR and result.steps[verdict.best].centred.gap > 0:
        return (
            f"{layer} tells the two senses of “{word}” apart best: cosine {within} within a sense, "
            f"{between} between them"
        )
    return (
        f"No layer clearly tells the two senses of “{word}” apart: {layer.lower()} does best, "
        f"with cosine {within} within a sense and {between} between them"
    )


def _alone(result: WordVectorsResult) -> str:
    first, last = result.steps[0].raw, result.steps[-1].raw
    places = len(result.occurrences)
    return (
        f"The {places} vectors of “{result.word}” have cosine {cosine(first.all)} in the "
        f"embeddings and {cosine(last.all)} after layer {len(result.steps) - 1}; two random tokens "
        f"{cosine(last.random.mean)}"
    )


def chance(result: WordVectorsResult) -> Markup:
    """Say what chance would do, and what the sentences are measured against."""
    lines = [
        Markup('<p class="lab-aside"><b>{}</b> {}</p>').format(*part) for part in _asides(result)
    ]
    return Markup("").join(lines)


def _asides(result: WordVectorsResult) -> list[tuple[str, str]]:
    last = result.steps[-1].raw.random
    parts = [
        (
            "What is high?",
            f"In the last layer two random tokens of a fixed sample of sentences have cosine "
            f"{cosine(last.mean)}, and nine of ten pairs lie between {cosine(last.low)} and "
            f"{cosine(last.high)}. The vectors of an encoder all lean the same way (Ethayarajh "
            "2019, arXiv:1909.00512), so a cosine says little without this number. “Mean taken "
            "away” removes the lean: the mean vector of that sample.",
        )
    ]
    if result.verdict is not None:
        parts.append(("Could it be chance?", _luck(result.verdict)))
    return parts


def _luck(verdict: Verdict) -> str:
    ways = f"{verdict.ways:,} ways to deal the same sentences out to the two boxes"
    judged = (
        "that is clear enough here"
        if verdict.chance <= _CLEAR
        else "too often to believe the difference: more sentences would help"
    )
    return (
        f"Of {ways}, {percent(verdict.chance)} are told apart as well by some layer, the true one "
        f"included; {judged}."
    )


def picture(result: WordVectorsResult) -> dict[str, Any]:
    """Give assets/word_vectors.js what it draws: every layer's points and cosines."""
    best = result.verdict.best if result.verdict else len(result.steps) - 1
    return {
        "steps": [step_name(step) for step in range(len(result.steps))],
        "step": best,
        "names": [one.name for one in result.occurrences],
        "senses": [one.sense for one in result.occurrences],
        "points": packed(result.points, np.float32),  # (steps, occurrences, 2)
        "raw": packed(result.raw, np.float32),  # (steps, occurrences, occurrences)
        "centred": packed(result.centred, np.float32),
        "says": {
            "raw": [_says(result, step, step.raw) for step in result.steps],
            "centred": [_says(result, step, step.centred) for step in result.steps],
        },
        "lines": [_parts(result, number) for number in range(len(result.sentences))],
    }


def _says(result: WordVectorsResult, step: Step, alike: Alike) -> str:
    low, high = cosine(alike.random.low), cosine(alike.random.high)
    random = f"random tokens {cosine(alike.random.mean)}, nine of ten from {low} to {high}"
    kept = f"The flat map keeps {percent(step.kept)} of the spread."
    if result.verdict is None:
        return f"Cosine {cosine(alike.all)} on average; {random}. {kept}"
    count = len(result.occurrences)
    return (
        f"Cosine {cosine(alike.within or 0)} within a sense, {cosine(alike.between or 0)} between "
        f"the senses; {random}. The nearest neighbour of {step.at_home} of {count} is of the same "
        f"sense. {kept}"
    )


def _parts(result: WordVectorsResult, number: int) -> dict[str, Any]:
    """Cut a sentence at the word: pieces that joined give the sentence, and their occurrences."""
    sentence = result.sentences[number]
    known = {o.span: i for i, o in enumerate(result.occurrences) if o.sentence == number}
    pieces: list[list[Any]] = []
    end = 0
    for span in sentence.spans:
        pieces += [
            [sentence.text[end : span[0]], None],
            [sentence.text[slice(*span)], known.get(span)],
        ]
        end = span[1]
    pieces.append([sentence.text[end:], None])
    return {"name": sentence.name, "sense": sentence.sense, "pieces": pieces}


def chart(result: WordVectorsResult) -> go.Figure:
    """Draw from layer to layer how alike the occurrences are, beside random tokens."""
    titles = ("cosines as they are", "mean taken away")
    figure = make_subplots(rows=1, cols=2, shared_yaxes=True, subplot_titles=titles)
    for column, kind in enumerate(("raw", "centred"), start=1):
        alikes = [getattr(step, kind) for step in result.steps]
        _add_band(figure, alikes, column)
        _add_lines(figure, alikes, column, is_split=result.verdict is not None)
    figure = style(figure, height=320)
    figure.update_xaxes(tickvals=list(range(len(result.steps))), title="after layer")
    figure.update_yaxes(title="cosine", col=1)
    figure.update_annotations(font_size=13)
    figure.update_layout(
        margin={"t": 56}, legend={"orientation": "h", "y": 1.12, "yanchor": "bottom", "x": 0}
    )
    return figure


def _add_lines(figure: go.Figure, alikes: list[Alike], column: int, *, is_split: bool) -> None:
    shown = ("within", "between") if is_split else ("all",)
    values = {name: [getattr(alike, name) for alike in alikes] for name in shown}
    values["random"] = [alike.random.mean for alike in alikes]
    for name, line in values.items():
        figure.add_trace(
            go.Scatter(
                y=line,
                x=list(range(len(line))),
                name=_NAMES[name],
                legendgroup=name,
                showlegend=column == 1,
                line=_LINES[name],
                mode="lines+markers",
                hovertemplate="%{y:.2f} after layer %{x}",
            ),
            row=1,
            col=column,
        )


def _add_band(figure: go.Figure, alikes: list[Alike], column: int) -> None:
    """Shade where nine of ten random pairs lie."""
    lows, highs = [a.random.low for a in alikes], [a.random.high for a in alikes]
    around = list(range(len(alikes)))
    band = go.Scatter(
        x=[*around, *around[::-1]],
        y=[*highs, *lows[::-1]],
        mode="lines",
        fill="toself",
        fillcolor="rgba(108,122,136,.15)",
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_trace(band, row=1, col=column)


def table(result: WordVectorsResult) -> list[list[str]]:
    """List the mean cosines of every step."""
    return [_row(result, number, step) for number, step in enumerate(result.steps)]


def _row(result: WordVectorsResult, number: int, step: Step) -> list[str]:
    raw, centred = step.raw, step.centred
    means = (raw.within, raw.between, raw.all, raw.random.mean)
    removed = (centred.within, centred.between, centred.all)
    home = f"{step.at_home} of {len(result.occurrences)}" if result.verdict else "–"
    written = ["–" if mean is None else cosine(mean) for mean in (*means, *removed)]
    return [step_name(number), *written, home, percent(step.kept)]


def download(result: WordVectorsResult) -> Markup:
    """Offer every pair of occurrences at every step as a CSV file."""
    names = [one.name for one in result.occurrences]
    rows: list[list[Cell]] = [
        [
            step,
            names[i],
            names[j],
            f"{result.raw[step, i, j]:.6f}",
            f"{result.centred[step, i, j]:.6f}",
        ]
        for step in range(len(result.steps))
        for i in range(len(names))
        for j in range(i + 1, len(names))
    ]
    headers = ["Layer", "Place", "Other place", "Cosine", "Cosine, mean taken away"]
    return csv_link("word-vectors.csv", headers, rows)


def numbers(result: WordVectorsResult) -> dict[str, Any]:
    """Give programs what the page shows."""
    return {
        "model_id": result.model_id,
        "word": result.word,
        "sentences": [asdict(sentence) for sentence in result.sentences],
        "occurrences": [asdict(one) for one in result.occurrences],
        "steps": [asdict(step) for step in result.steps],
        "points": result.points.round(6).tolist(),  # a list a step, a pair an occurrence
        "cosines": result.raw.round(6).tolist(),
        "centred_cosines": result.centred.round(6).tolist(),
        "verdict": asdict(result.verdict) if result.verdict else None,
        "notices": list(result.notices),
    }
