"""Several models side by side: who agrees, a card for each model, a chart, and a table."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

import plotly.graph_objects as go
from markupsafe import Markup, escape
from plotly.subplots import make_subplots

from components.models.catalog import find_card
from components.models.families import FAMILIES
from components.tasks.compare import Choice, CompareResult, Entry, Latency, Refusal
from components.views.markup import EMPTY, Bar, bars, join, refusal
from components.views.markup import finding as draw_finding
from components.views.palette import FAMILY_COLOURS, style
from components.views.wording import millions, milliseconds, percent, shortened, size

HEADERS = [
    "Model",
    "Answer",
    "Probability",
    "Tokens read",
    "Parameters",
    "Weights on disk",
    "Weights in memory",
    "Time, median",
    "Fastest",
    "Slowest",
    "Runs",
]
_ID = 60  # characters of what was typed as a model
_SPAN = 60  # characters of an answer beside its bar in a card
_LABEL = 22  # characters of a name or an answer beside a bar of the chart
_LINE = 48  # characters of a line under the chart, so that it fits a phone
_ALIKE = (0.9, 1.1)  # times whose ratio is within are called alike


def finding(result: CompareResult) -> Markup:
    """Say which models agree, and how the fastest compares with the slowest."""
    if not result.answered:
        return refusal("None of these models can answer; the reasons stand below.")
    pace = _pace(result.answered)
    headline = _agreement(result) + (f"; {pace}" if pace else "")
    silent = [
        shortened(entry.model_id, _ID) for entry in result.entries if isinstance(entry, Refusal)
    ]
    notices = [f"{_listed(silent)} did not answer; the reason stands below."] if silent else []
    return draw_finding(headline, notices=notices)


def _agreement(result: CompareResult) -> str:
    entries, camps = result.answered, result.camps
    if len(entries) == 1:
        return f"{entries[0].model_id} says {_quoted(entries[0])}"
    if len(camps) == 1:
        everyone = "Both say" if len(entries) == 2 else f"All {len(entries)} say"
        return f"{everyone} {_quoted(entries[0])}"
    return ", ".join(
        f"{_listed(entry.model_id for entry in camp)} {'say' if len(camp) > 1 else 'says'} "
        f"{_quoted(camp[0])}"
        for camp in camps
    )


def _quoted(entry: Entry) -> str:
    return " … ".join(f"“{text}”" for text in entry.answer)


def _listed(names: Iterable[str]) -> str:
    """Join names as in "a, b and c"."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _pace(entries: Sequence[Entry]) -> str:
    """Compare the time of the fastest model with that of the slowest."""
    if len(entries) < 2:
        return ""
    fastest, *_, slowest = sorted(entries, key=lambda entry: entry.latency.median)
    ratio = fastest.latency.median / slowest.latency.median
    if _ALIKE[0] <= ratio <= _ALIKE[1]:
        return "they need about the same time"
    than = f" of {slowest.model_id}" if len(entries) > 2 else ""
    return f"{fastest.model_id} needs {ratio:.2f}× the time{than}"


def cards(result: CompareResult) -> Markup:
    """Draw a card for each model: its answer, what else it considered, and what it costs."""
    drawn = [_card(e) if isinstance(e, Entry) else _refused(e) for e in result.entries]
    return Markup('<div class="lab-model-cards">{}</div>').format(join(drawn))


def _card(entry: Entry) -> Markup:
    parts = [
        _title(entry.model_id, entry.model_type),
        Markup('<p class="lab-says">{}</p>').format(_quoted(entry)),
        *(bars([_bar(choice) for choice in choices]) for choices in entry.answers),
        *(Markup('<p class="lab-notice">{}</p>').format(notice) for notice in entry.notices),
        _facts(entry),
    ]
    return Markup('<article class="lab-model-card lab-{}">{}</article>').format(
        entry.model_type, join(parts)
    )


def _bar(choice: Choice) -> Bar:
    return Bar(shortened(choice.text, _SPAN), choice.score)


def _refused(refused: Refusal) -> Markup:
    card = find_card(refused.model_id)
    title = _title(shortened(refused.model_id, _ID), card.model_type if card else "")
    return Markup(
        '<article class="lab-model-card lab-model-refused">{}<p class="lab-reason">{}</p></article>'
    ).format(title, refused.reason)


def _title(model_id: str, model_type: str) -> Markup:
    family = FAMILIES.get(model_type)
    badge = '<span class="lab-family lab-{}">{}</span> '
    return Markup('<h4 class="lab-model-title">{}{}{}</h4>').format(
        Markup(badge).format(model_type, family.name) if family else EMPTY,
        model_id,
        Markup(" <small>a miniature</small>") if find_card(model_id) else EMPTY,
    )


def _facts(entry: Entry) -> Markup:
    facts = {
        "Time": _span(entry.latency),
        "Tokens read": f"{entry.tokens:,}",
        "Parameters": millions(entry.parameters),
        "On disk": size(entry.disk_bytes),
        "In memory": size(entry.weight_bytes),
    }
    rows = (Markup("<dt>{}</dt><dd>{}</dd>").format(name, fact) for name, fact in facts.items())
    return Markup('<dl class="lab-facts">{}</dl>').format(join(list(rows)))


def _span(latency: Latency) -> Markup:
    return Markup("{} <small>median of {}, {} to {}</small>").format(
        milliseconds(latency.median),
        f"{latency.runs} run{'s' if latency.runs > 1 else ''}",
        milliseconds(latency.fastest),
        milliseconds(latency.slowest),
    )


def chart(result: CompareResult) -> go.Figure | None:
    """Draw the probability of each answer over the time it took; None when nobody answered."""
    entries = result.answered
    if not entries:
        return None
    titles = ("Probability of its answer", "Time of a forward pass (median, range)")
    figure = make_subplots(rows=2, cols=1, vertical_spacing=0.3, subplot_titles=titles)
    figure.update_annotations(font_size=14, x=0, xanchor="left")
    blanks = max(len(entry.answer) for entry in entries)
    for blank in range(blanks):
        figure.add_trace(_probabilities(entries, blank), row=1, col=1)
    figure.add_trace(_times(entries), row=2, col=1)
    style(figure, height=250 + 34 * len(entries) * (blanks + 1))
    _set_axes(figure, entries)
    caption = _caption(result)
    figure.add_annotation(
        text="<br>".join(_plain(line) for line in caption), x=0, y=0, xref="paper", yref="paper",
        xanchor="left", yanchor="top", align="left", yshift=-34, showarrow=False, font_size=12,
    )  # fmt: skip
    margin = {"t": 34, "b": 42 + 18 * len(caption)}
    figure.update_layout(barmode="group", bargap=0.35, showlegend=False, margin=margin)
    return figure


def _probabilities(entries: Sequence[Entry], blank: int) -> go.Bar:
    said = {i: e.answers[blank][0] for i, e in enumerate(entries) if blank < len(e.answers)}
    return go.Bar(
        x=[choice.score for choice in said.values()],
        y=list(said),
        orientation="h",
        marker_color=[FAMILY_COLOURS[entries[i].model_type] for i in said],
        text=[_plain(f"{shortened(c.text, _LABEL)} · {percent(c.score)}") for c in said.values()],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{text}<extra></extra>",
    )


def _times(entries: Sequence[Entry]) -> go.Bar:
    spans = [entry.latency for entry in entries]
    return go.Bar(
        x=[1000 * span.median for span in spans],
        y=list(range(len(entries))),
        orientation="h",
        marker_color=[FAMILY_COLOURS[entry.model_type] for entry in entries],
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [1000 * (span.slowest - span.median) for span in spans],
            "arrayminus": [1000 * (span.median - span.fastest) for span in spans],
            "color": "#7b8794",
            "thickness": 1.5,
        },
        hovertext=[milliseconds(span.median) for span in spans],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _set_axes(figure: go.Figure, entries: Sequence[Entry]) -> None:
    names = [_plain(shortened(entry.model_id.rpartition("/")[2], _LABEL)) for entry in entries]
    figure.update_yaxes(
        tickvals=list(range(len(entries))),
        ticktext=names,  # positions, not names: two models may have one name
        range=[len(entries) - 0.5, -0.5],
        showgrid=False,
        ticklabelstandoff=6,
    )
    marks = [0, 0.25, 0.5, 0.75, 1]
    figure.update_xaxes(range=[0, 1.3], tickvals=marks, tickformat=".0%", row=1, col=1)
    figure.update_xaxes(rangemode="tozero", ticksuffix=" ms", row=2, col=1)


def _caption(result: CompareResult) -> list[str]:
    """Say under the chart, in short lines, what was asked, and which models are miniatures."""
    given = result.given
    asked = f"{given.question} — {given.text}" if given.question else given.text
    small = [entry.model_id for entry in result.answered if find_card(entry.model_id)]
    lines = textwrap.wrap(f"“{shortened(asked, 2 * _LINE)}”", _LINE)
    return lines + (textwrap.wrap(f"Miniatures: {', '.join(small)}", _LINE) if small else [])


def _plain(text: str) -> str:
    """Keep plotly from reading <s> or <b> as formatting."""
    return str(escape(text))


def table(result: CompareResult) -> list[list[str | int]]:
    """List all numbers of every model; one that did not answer says why."""
    return [_row(e) if isinstance(e, Entry) else _no_row(e) for e in result.entries]


def _row(entry: Entry) -> list[str | int]:
    best = [choices[0] for choices in entry.answers]
    times = (entry.latency.median, entry.latency.fastest, entry.latency.slowest)
    return [
        entry.model_id,
        " … ".join(choice.text for choice in best),
        " … ".join(percent(choice.score) for choice in best),
        entry.tokens,
        f"{entry.parameters:,}",
        size(entry.disk_bytes),
        size(entry.weight_bytes),
        *(milliseconds(seconds) for seconds in times),
        entry.latency.runs,
    ]


def _no_row(refused: Refusal) -> list[str | int]:
    return [shortened(refused.model_id, _ID), refused.reason, *[""] * (len(HEADERS) - 2)]
