"""The page Models: a pick with its reasons, a card for each family, and tables of the sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from markupsafe import Markup

from components.models.anatomy import Anatomy
from components.models.families import FAMILIES, Family
from components.models.profiles import Claim, Published
from components.tasks.families import Evidence, FamiliesResult, Miniature, Reason, Row
from components.views.markup import EMPTY, join
from components.views.markup import finding as draw_finding
from components.views.wording import millions, percent, size

HEADERS = [
    "Miniature",
    "Family",
    "Parameters",
    "Embeddings",
    "Layers",
    "Heads",
    "Layers passed",
    "Layers stored",
    "Width",
    "Vocabulary",
    "On disk",
]
FIGURE_HEADERS = ["Measured of our miniatures", "What it means"]  # a column a miniature between
PUBLISHED_HEADERS = ["Published model", "Family", "Layers", "Width", "Parameters", "Source"]
NOT_MEASURED = "not measured"
_IN_WORDS: Mapping[str, Callable[[float], str]] = {
    "disk_bytes": size,
    "parameters": lambda count: millions(int(count)),
    "layers": lambda count: f"{count:.0f}",
}


def finding(result: FamiliesResult) -> Markup:
    """State which family the papers point to, and how our miniatures compare."""
    seen = [_seen(evidence, result.picks[0].model_type) for evidence in result.evidence]
    return draw_finding(result.headline, notices=[*seen, result.caveat])


def _seen(evidence: Evidence, picked: str) -> str:
    best = evidence.rows[0]
    what = f"Of our miniatures {best.model_id} comes first"
    value = _in_words(evidence, best)
    agrees = "as the papers would have it" if best.model_type == picked else "not as in the papers"
    return f"{what} ({evidence.label}: {value}), {agrees}."


def _in_words(evidence: Evidence, row: Row) -> str:
    return _IN_WORDS.get(evidence.measure, percent)(row.value)


def picks(result: FamiliesResult) -> Markup:
    """Draw the first and the second choice, and how our miniatures stand in it."""
    reasons = [_reason(pick, i) for i, pick in enumerate(result.picks)]
    panels = [_merit(evidence) for evidence in result.evidence]
    return Markup('<div class="lab-needs"><div class="lab-reasons">{}</div>{}</div>').format(
        join(reasons), join(panels)
    )


def _reason(pick: Reason, place: int) -> Markup:
    return Markup(
        '<article class="lab-reason-card lab-{}"><h4>{} <span class="lab-family lab-{}">{}</span>'
        "</h4><p>{}</p><small>{}</small></article>"
    ).format(
        pick.model_type,
        ("First choice:", "Second choice:")[place],
        pick.model_type,
        pick.name,
        pick.why,
        pick.source,
    )


def _merit(evidence: Evidence) -> Markup:
    longest = max(row.value for row in evidence.rows)
    whole = 1 if evidence.measure not in _IN_WORDS else longest
    bars = [
        Markup(
            '<div class="lab-bar lab-{}"><span class="lab-bar-label">{}</span>'
            '<span class="lab-bar-track"><span class="lab-bar-fill" style="width:{:.2f}%"></span>'
            '</span><span class="lab-bar-value">{}</span></div>'
        ).format(row.model_type, row.model_id, 100 * row.value / whole, _in_words(evidence, row))
        for row in evidence.rows
    ]
    heading = evidence.label if evidence.label == evidence.meaning else evidence.meaning
    return Markup(
        '<section class="lab-panel lab-merit"><h4>Our miniatures, measured. {}</h4>'
        '<div class="lab-bars">{}</div></section>'
    ).format(heading, join(bars))


def cards(result: FamiliesResult) -> Markup:
    """Draw a card for each family: what its authors say, and beside it what ours measures."""
    drawn = [
        _card(family, result, picked=[pick.model_type for pick in result.picks])
        for family in FAMILIES.values()
    ]
    return Markup('<div class="lab-family-cards">{}</div>').format(join(drawn))


def _card(family: Family, result: FamiliesResult, *, picked: Sequence[str]) -> Markup:
    profile = family.profile
    ours = [one for one in result.miniatures if one.model_type == family.model_type]
    place = picked.index(family.model_type) if family.model_type in picked else None
    mark = EMPTY if place is None else _mark(("first choice", "second choice")[place])
    return Markup(
        '<article class="lab-family-card lab-{}"><h4><span class="lab-family lab-{}">{}</span> {}'
        '</h4><p class="lab-full-name">{} · {}</p><p class="lab-changed">{}</p>{}'
        '<div class="lab-sizes">{}{}</div></article>'
    ).format(
        family.model_type, family.model_type, family.name, mark, profile.full_name, family.paper,
        family.changed, _claims(family), _published(profile.published),
        join([_ours(one, result) for one in ours]),
    )  # fmt: skip


def _mark(text: str) -> Markup:
    return Markup('<span class="lab-mark">{}</span>').format(text)


def _claims(family: Family) -> Markup:
    profile = family.profile
    first = {
        "Choose it for": (Claim(profile.choose_for, ""),),
        "Trained on": (profile.objective,),
        "Strengths": profile.strengths,
    }
    more = {"What changed": profile.changes, "The price": (profile.weakness,)}
    return Markup("{}<details><summary>What changed, and the price</summary>{}</details>").format(
        _listed(first), _listed(more)
    )


def _listed(rows: Mapping[str, Sequence[Claim]]) -> Markup:
    drawn = [
        Markup("<dt>{}</dt><dd>{}</dd>").format(name, join([_claim(claim) for claim in claims]))
        for name, claims in rows.items()
    ]
    return Markup("<dl>{}</dl>").format(join(drawn))


def _claim(claim: Claim) -> Markup:
    source = Markup(" <small>{}</small>").format(claim.source) if claim.source else EMPTY
    return Markup("<p>{}{}</p>").format(claim.text, source)


def _published(models: Sequence[Published]) -> Markup:
    rows = [
        Markup("<p><b>{}</b> {} parameters, {} layers of {} <small>{}</small></p>").format(
            one.name, whole_millions(one.parameters), one.layers, one.width, one.source
        )
        for one in models
    ]
    return Markup(
        '<section class="lab-published"><h5>Published, full size</h5>{}</section>'
    ).format(join(rows))


def whole_millions(count: int) -> str:
    """Write a published number of parameters with the digits that papers give."""
    return f"{count / 1e6:.0f} M"


def _ours(miniature: Miniature, result: FamiliesResult) -> Markup:
    anatomy = miniature.anatomy
    sized = _size(anatomy) if anatomy else "Its files are not here."
    rows = [
        Markup("<dt>{}</dt><dd>{}</dd>").format(figure.label, percent(value))
        for figure in result.figures
        if (value := miniature.figures.get(figure.name)) is not None
    ]
    measured = (
        Markup('<dl class="lab-facts">{}</dl>').format(join(rows))
        if rows
        else Markup("<p>Its figures are {}.</p>").format(NOT_MEASURED)
    )
    return Markup(
        '<section class="lab-ours"><h5>Ours, a miniature: {}</h5><p>{}</p>{}</section>'
    ).format(miniature.model_id, sized, measured)


def _size(anatomy: Anatomy) -> str:
    shared = f", {anatomy.stored_layers} stored" if anatomy.uses > 1 else ""
    return (
        f"{millions(anatomy.parameters)} parameters, {anatomy.layers} layers of "
        f"{anatomy.width}{shared}, {size(anatomy.disk_bytes)}"
    )


def table(result: FamiliesResult) -> list[list[str | int]]:
    """List where the parameters of each miniature sit."""
    return [_row(one, one.anatomy) for one in result.miniatures]


def _row(miniature: Miniature, anatomy: Anatomy | None) -> list[str | int]:
    name = FAMILIES[miniature.model_type].name
    if anatomy is None:
        return [miniature.model_id, name, "not here", *[""] * (len(HEADERS) - 3)]
    counts = (anatomy.parameters, anatomy.embeddings, anatomy.encoder, anatomy.heads)
    return [
        miniature.model_id, name, *(f"{count:,}" for count in counts), anatomy.layers,
        anatomy.stored_layers, anatomy.width, f"{anatomy.vocabulary:,}", size(anatomy.disk_bytes),
    ]  # fmt: skip


def figure_headers(model_ids: Sequence[str]) -> list[str]:
    """Give the columns of `figure_table`."""
    return [FIGURE_HEADERS[0], *model_ids, FIGURE_HEADERS[1]]


def figure_table(result: FamiliesResult) -> list[list[str]]:
    """List every measured figure of every miniature, and what was measured on what."""
    return [
        [figure.label, *(_cell(one, figure.name) for one in result.miniatures), figure.meaning]
        for figure in result.figures
    ]


def _cell(miniature: Miniature, figure: str) -> str:
    value = miniature.figures.get(figure)
    return NOT_MEASURED if value is None else percent(value)


def published_table() -> list[list[str | int]]:
    """List the published models with the sources of their sizes."""
    return [
        [one.name, family.name, one.layers, one.width, whole_millions(one.parameters), one.source]
        for family in FAMILIES.values()
        for one in family.profile.published
    ]
