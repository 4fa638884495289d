"""What enters layer 1, as a sum of drawn vectors with their numbers, and tables."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from components.tasks.input_embeddings import InputEmbeddingsResult, Part, Vector
from components.views import tokens
from components.views.letters import visible
from components.views.markup import finding as draw_finding
from components.views.markup import join

HEADERS = ["Position", "Token", "Id", "Length of the token part", "… position", "… segment"]
_NUMBERS = 6  # written out of each vector

MISSING = {
    "Position": "This network adds no position to its input. It works out inside attention how far "
    "two tokens stand apart.",
    "Segment": "This network has no table of segments: nothing in its input says which of two "
    "texts a token belongs to.",
}
_ONE_ROW = (
    "The table has one row only: the same numbers for every token, so they tell nothing apart."
)


def finding(result: InputEmbeddingsResult) -> Markup:
    """State what is added for the token looked at, and how long the vectors are."""
    who = f"“{visible(result.token)}” at position {result.position}"
    if len(result.parts) == 1:
        said = f"enters layer 1 as its token vector alone, {_length(result.total)} long"
    else:
        added = " + ".join(part.name.lower() for part in result.parts)
        lengths = " + ".join(_length(part.vector) for part in result.parts)
        said = f"enters layer 1 as {added}: {lengths} long, the sum {_length(result.total)}"
    notices = [*result.notices, *_twin(result)]
    return draw_finding(f"{who} {said}", model_id=result.model_id, notices=notices)


def _length(vector: Vector) -> str:
    return f"{vector.norm:.2f}"


def _twin(result: InputEmbeddingsResult) -> Iterator[str]:
    twin = result.twin
    if twin is None:
        return
    alike = "They enter layer 1 as the very same vector: nothing tells them apart here."
    if twin.cosine < 1 - 1e-5:
        alike = (
            f"What enters layer 1 differs, by what was added: the cosine of the two is "
            f"{twin.cosine:.3f} (1 would be the same direction)."
        )
    yield (
        f"“{visible(result.token)}” stands at position {twin.position} too, with the same token "
        f"vector. {alike}"
    )


def token_row(result: InputEmbeddingsResult) -> Markup:
    """Draw every token as a button; the one looked at is pressed."""
    return tokens.segment_row(result.encoding, pressed=result.position)


def addition(result: InputEmbeddingsResult) -> Markup:
    """Draw the vectors one below the other, as they are added and handed on."""
    scale = max(_scale(vector) for vector in (*(p.vector for p in result.parts), result.total))
    rows = [_part(part, scale, sign="+" if i else "") for i, part in enumerate(result.parts)]
    rows += [
        Markup('<p class="lab-sum-missing"><b>{}</b> {}</p>').format(f"No {name.lower()}.",
                                                                     MISSING[name])
        for name in result.missing if name in MISSING
    ]  # fmt: skip
    if len(result.parts) > 1:
        rows.append(_vector("=", "Sum", "added up, number by number", result.total, scale))
    normed = "moved and stretched to a common measure: its colours have a scale of their own"
    rows.append(_vector("↓", "LayerNorm", normed, result.normed, _scale(result.normed)))
    rows += _widened(result)
    drawn = join(rows)
    return Markup(
        '<section class="lab-sum"><h4>Token + position + segment at “{}”, the first {} of {} '
        "numbers; one scale for what is added. <span>orange: below 0</span> "
        '<span>blue: above 0</span></h4>{}<p class="lab-sum-goal">↓ layer 1</p></section>'
    ).format(visible(result.token), len(result.total.first), result.total.size, drawn)


def _widened(result: InputEmbeddingsResult) -> Iterator[Markup]:
    if result.is_widened:
        said = (
            f"a matrix makes {result.entering.size} numbers out of {result.normed.size}: "
            "the tables stay small"
        )
        yield _vector("↓", "Matrix", said, result.entering, _scale(result.entering))


def _scale(vector: Vector) -> float:
    return max((abs(n) for n in vector.first), default=0.0) or 1.0


def _part(part: Part, scale: float, *, sign: str) -> Markup:
    said = f"row {part.row:,} of a table with {part.table_rows:,}, counted from 0"
    return _vector(sign, part.name, _ONE_ROW if part.table_rows == 1 else said, part.vector, scale)


def _vector(sign: str, name: str, said: str, vector: Vector, scale: float) -> Markup:
    cells = join([_cell(number / scale) for number in vector.first])
    numbers = "  ".join(f"{n:+.3f}".replace("-", "−") for n in vector.first[:_NUMBERS])
    return Markup(
        '<div class="lab-sum-row"><span class="lab-sum-sign">{}</span><p><b>{}</b> '
        '<small>{}</small></p><span class="lab-sum-norm">length {:.2f}</span>'
        '<span class="lab-sum-cells" aria-hidden="true">{}</span>'
        '<span class="lab-sum-numbers">{}  …</span></div>'
    ).format(sign, name, said, vector.norm, cells, numbers)


def _cell(share: float) -> Markup:
    css = "lab-sum-below" if share < 0 else "lab-sum-above"
    return Markup('<i class="{}" style="--strength:{:.2f}"></i>').format(css, abs(share))


def table(result: InputEmbeddingsResult) -> list[list[str | int]]:
    """List the lengths of what is added for every token."""
    by_name = {part.name: norms for part, norms in zip(result.parts, result.norms, strict=True)}
    return [
        [
            position,
            visible(token),
            result.encoding.input_ids[position],
            *(_norm(by_name.get(name), position) for name in ("Token", "Position", "Segment")),
        ]
        for position, token in enumerate(result.encoding.tokens)
    ]


def _norm(norms: tuple[float, ...] | None, position: int) -> str:
    return "–" if norms is None else f"{norms[position]:.3f}"


VECTOR_HEADERS = ["Vector", "Length", "Numbers", f"First {_NUMBERS}"]


def vector_table(result: InputEmbeddingsResult) -> list[list[str | int]]:
    """List the vectors of the token looked at."""
    named = [(part.name, part.vector) for part in result.parts]
    named += [("Sum", result.total), ("LayerNorm", result.normed), ("Layer 1", result.entering)]
    return [
        [
            name,
            f"{vector.norm:.3f}",
            vector.size,
            ", ".join(f"{n:.4f}" for n in vector.first[:_NUMBERS]),
        ]
        for name, vector in named
    ]
