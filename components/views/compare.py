"""Several models side by side: who agrees, a card for each model, and a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from components.models.catalog import find_card
from components.models.evaluation import Figure
from components.models.families import FAMILIES
from components.models.full_size import find_full_size
from components.tasks.compare import Choice, CompareResult, Entry, Latency, Refusal
from components.views.markup import EMPTY, Bar, bars, join, refusal
from components.views.markup import finding as draw_finding
from components.views.wording import millions, milliseconds, percent, shortened, size

HEADERS = [
    "Model",
    "Answer",
    "Probability",
    "Tokens read",
    "Parameters",
    "Weights on disk",
    "Weights in memory",
    "Accuracy",
    "Time, median",
    "Fastest",
    "Slowest",
    "Runs",
]
_ID = 60  # characters of what was typed as a model
_SPAN = 60  # characters of an answer beside its bar in a card
_ALIKE = (0.9, 1.1)  # times whose ratio is within are called alike
_NAMED = 3  # answers that the headline names, each with its models; more are counted
NOT_MEASURED = "not measured"


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
    if len(entries) > _NAMED:
        return _counted(entries, camps)
    return ", ".join(
        f"{_listed(entry.model_id for entry in camp)} {'say' if len(camp) > 1 else 'says'} "
        f"{_quoted(camp[0])}"
        for camp in camps
    )


def _counted(entries: Sequence[Entry], camps: Sequence[Sequence[Entry]]) -> str:
    """Say how many agree; who they are is drawn by `agreement`."""
    if len(camps) == len(entries):
        return f"{len(entries)} models, {len(camps)} answers"
    return f"{len(camps[0])} of {len(entries)} say {_quoted(camps[0][0])}"


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


def agreement(result: CompareResult) -> Markup:
    """Draw every answer with the models that give it; nothing when there is one answer."""
    if len(result.camps) < 2:
        return EMPTY
    rows = [
        Markup("<li><b>{}</b> <span>{}</span></li>").format(
            _quoted(camp[0]), join([_badge(entry) for entry in camp])
        )
        for camp in result.camps
    ]
    return Markup('<ul class="lab-camps" aria-label="Who gives which answer">{}</ul>').format(
        join(rows)
    )


def _badge(entry: Entry) -> Markup:
    return Markup('<span class="lab-chip lab-family lab-{}">{}</span>').format(
        entry.model_type, entry.model_id
    )


def cards(result: CompareResult) -> Markup:
    """Draw who agrees, and a card for each model: its answer, what else, and what it costs."""
    drawn = [
        _card(e, result.figure) if isinstance(e, Entry) else _refused(e) for e in result.entries
    ]
    return Markup('{}<div class="lab-model-cards">{}</div>{}').format(
        agreement(result), join(drawn), _meaning(result)
    )


def _meaning(result: CompareResult) -> Markup:
    if result.figure is None:
        return EMPTY
    return Markup('<p class="lab-meaning"><b>Accuracy:</b> {} Not of this text.</p>').format(
        result.figure.meaning
    )


def _card(entry: Entry, figure: Figure | None) -> Markup:
    parts = [
        _title(entry.model_id, entry.model_type),
        Markup('<p class="lab-says">{}</p>').format(_quoted(entry)),
        *(bars([_bar(choice) for choice in choices]) for choices in entry.answers),
        *(Markup('<p class="lab-notice">{}</p>').format(notice) for notice in entry.notices),
        _facts(entry, figure),
    ]
    return Markup('<article class="lab-model-card lab-{}">{}</article>').format(
        entry.model_type, join(parts)
    )


def _bar(choice: Choice) -> Bar:
    return Bar(shortened(choice.text, _SPAN), choice.score)


def _refused(refused: Refusal) -> Markup:
    card = find_card(refused.model_id) or find_full_size(refused.model_id)
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


def _facts(entry: Entry, figure: Figure | None) -> Markup:
    facts = {
        "Accuracy": _accuracy(entry, figure),
        "Time": _span(entry.latency),
        "Tokens read": f"{entry.tokens:,}",
        "Parameters": millions(entry.parameters),
        "On disk": size(entry.disk_bytes),
        "In memory": size(entry.weight_bytes),
    }
    rows = (Markup("<dt>{}</dt><dd>{}</dd>").format(name, fact) for name, fact in facts.items())
    return Markup('<dl class="lab-facts">{}</dl>').format(join(list(rows)))


def _accuracy(entry: Entry, figure: Figure | None) -> Markup:
    if entry.accuracy is None or figure is None:
        return Markup("<small>{}</small>").format(NOT_MEASURED)
    return Markup("{} <small>{}</small>").format(percent(entry.accuracy), figure.label)


def _span(latency: Latency) -> Markup:
    return Markup("{} <small>median of {}, {} to {}</small>").format(
        milliseconds(latency.median),
        f"{latency.runs} run{'s' if latency.runs > 1 else ''}",
        milliseconds(latency.fastest),
        milliseconds(latency.slowest),
    )


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
        NOT_MEASURED if entry.accuracy is None else percent(entry.accuracy),
        *(milliseconds(seconds) for seconds in times),
        entry.latency.runs,
    ]


def _no_row(refused: Refusal) -> list[str | int]:
    return [shortened(refused.model_id, _ID), refused.reason, *[""] * (len(HEADERS) - 2)]
