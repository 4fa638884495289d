"""Where the parameters of each miniature sit, as bars on one scale: tables, layers, heads."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from components.models.anatomy import Anatomy
from components.models.families import FAMILIES
from components.tasks.families import Miniature
from components.views.markup import EMPTY, join
from components.views.wording import millions

_LEGEND = (
    ("embeddings", "embeddings: the table of tokens, and their places"),
    ("layer", "one block for each layer"),
    ("heads", "heads"),
    ("again", "the same layer once more: computed, not stored"),
)


def anatomy_bars(miniatures: Sequence[Miniature]) -> Markup:
    """Draw one bar a miniature; a layer that is used again is drawn as an outline."""
    drawn = [(one, one.anatomy) for one in miniatures if one.anatomy is not None]
    if not drawn:
        return EMPTY
    longest = max(_length(anatomy) for _, anatomy in drawn)
    rows = [_row(one, anatomy, longest) for one, anatomy in drawn]
    return Markup(
        '<section class="lab-anatomies"><h3>{}</h3>{}<div class="lab-anatomy-rows">{}</div>'
        "</section>"
    ).format(_headline([anatomy for _, anatomy in drawn], drawn), _legend(), join(rows))


def _length(anatomy: Anatomy) -> int:
    """Count the numbers that a bar shows, layers used again included."""
    return anatomy.parameters + anatomy.layer_parameters * (anatomy.layers - anatomy.stored_layers)


def _headline(anatomies: Sequence[Anatomy], drawn: Sequence[tuple[Miniature, Anatomy]]) -> str:
    """State where most parameters are, and who shares layers."""
    tables = max(anatomies, key=lambda anatomy: anatomy.embeddings / anatomy.parameters)
    name = next(one.model_id for one, anatomy in drawn if anatomy is tables)
    share = round(100 * tables.embeddings / tables.parameters)
    said = f"Where the parameters sit: {share} % of {name} are its embeddings"
    sharing = [
        f"{FAMILIES[one.model_type].name} stores one layer and uses it {anatomy.uses} times"
        for one, anatomy in drawn
        if anatomy.uses > 1
    ]
    return "; ".join([said, *sharing])


def _legend() -> Markup:
    entries = [
        Markup('<span class="lab-key"><i class="lab-part lab-part-{}"></i>{}</span>').format(*entry)
        for entry in _LEGEND
    ]
    return Markup('<p class="lab-legend">{}</p>').format(join(entries))


def _row(miniature: Miniature, anatomy: Anatomy, longest: int) -> Markup:
    said = _said(anatomy)
    return Markup(
        '<div class="lab-anatomy lab-{}"><span class="lab-anatomy-name"><span class="lab-family '
        'lab-{}">{}</span> {}</span><span class="lab-anatomy-bar" role="img" aria-label="{}">{}'
        '</span><b class="lab-anatomy-total">{}</b><small>{}</small></div>'
    ).format(
        miniature.model_type,
        miniature.model_type,
        FAMILIES[miniature.model_type].name,
        miniature.model_id,
        said,
        _parts(anatomy, longest),
        millions(anatomy.parameters),
        said,
    )


def _parts(anatomy: Anatomy, longest: int) -> Markup:
    sizes = [("embeddings", anatomy.embeddings)]
    sizes += [("layer", anatomy.layer_parameters)] * anatomy.stored_layers
    sizes += [("again", anatomy.layer_parameters)] * (anatomy.layers - anatomy.stored_layers)
    sizes += [("heads", anatomy.heads)]
    return join(
        [
            Markup('<i class="lab-part lab-part-{}" style="width:{:.3f}%"></i>').format(
                part, 100 * size / longest
            )
            for part, size in sizes
        ]
    )


def _said(anatomy: Anatomy) -> str:
    """Say in words what a bar shows."""
    layer = millions(anatomy.layer_parameters)
    if anatomy.uses > 1:
        stored = "1 layer" if anatomy.stored_layers == 1 else f"{anatomy.stored_layers} layers"
        layers = f"{stored} of {layer}, used {anatomy.uses} times"
    else:
        layers = f"{anatomy.layers} layers of {layer}"
    return f"{millions(anatomy.embeddings)} embeddings · {layers} · {millions(anatomy.heads)} heads"
