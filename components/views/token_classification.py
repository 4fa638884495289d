"""Named entities in the text itself, the four ways to join pieces side by side, each piece."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from components.tasks.aggregation import OUTSIDE, Dispute, Entity, Piece, Strategy
from components.tasks.token_classification import TokenClassificationResult
from components.views.download import Cell, csv_link
from components.views.markup import EMPTY, Bar, bars, join
from components.views.markup import finding as draw_finding
from components.views.wording import percent, shortened

HEADERS = ["Strategy", "Type", "From", "To", "Score", "Text"]
PIECE_HEADERS = ["Piece", "From", "To", "Word", "Label", "Score"]  # then labels
HOW = {
    Strategy.SIMPLE: "Every piece keeps its own label.",
    Strategy.FIRST: "A word has the label of its first piece.",
    Strategy.AVERAGE: "The probabilities of a word's pieces are averaged.",
    Strategy.MAX: "A word has the label of its surest piece.",
}
MEANINGS: Mapping[str, str] = {  # of the usual types; others speak for themselves, or do not
    "PER": "person",
    "ORG": "organisation",
    "LOC": "place",
    "MISC": "another name: a work, a product, a people",
}
MAIN = Strategy.FIRST  # heads are trained on the first piece of a word, as a rule
COLOURS = 8  # kinds of assets/style.css
_NAMED, _QUOTED = 4, 40  # entities that the headline names; characters of one
_PIECES, _DISPUTES = 600, 50  # that are drawn; the tables have all
_LONG = 600  # characters from which on a text is set smaller, and scrolls
_UNNAMED = re.compile(r"LABEL_\d+")


def finding(result: TokenClassificationResult) -> Markup:
    """State the entities, and whether it matters how pieces are joined."""
    return draw_finding(
        _headline(result.text, _seen(result.entities[MAIN])),
        model_id=result.model_id,
        notices=[*result.notices, *_notices(result)],
    )


def _headline(text: str, entities: Sequence[Entity]) -> str:
    if not entities:
        return "No named entity found"
    told = [
        Markup("“<bdi>{}</bdi>” ({})").format(shortened(_text(text, e), _QUOTED), e.type)
        for e in entities[:_NAMED]
    ]
    more = f" and {len(entities) - _NAMED} more" if len(entities) > _NAMED else ""
    count = "1 named entity" if len(entities) == 1 else f"{len(entities)} named entities"
    return Markup("{}: {}{}").format(count, Markup(", ").join(told), more)


def _seen(entities: Sequence[Entity]) -> list[Entity]:
    """Leave out what has no character to be seen: a space can be taken for a name, too."""
    return [entity for entity in entities if entity.span[0] < entity.span[1]]


def _text(text: str, entity: Entity) -> str:
    return text[slice(*entity.span)]


def _notices(result: TokenClassificationResult) -> list[str]:
    notices = []
    if result.windows > 1:
        notices.append(
            f"Too long to read at once: read in {result.windows} windows of up to "
            f"{result.window_length} tokens that share a fourth. Of a token in two windows, the "
            "one counts in which it is farther from an edge."
        )
    if all(_UNNAMED.fullmatch(label) for label in result.labels):
        notices.append("This model does not name its labels: what they mean is not said here.")
    return notices


def kinds(result: TokenClassificationResult) -> dict[str, int]:
    """Give every type a colour of its own, in the model's order; after COLOURS they come again."""
    types = dict.fromkeys(label.split("-", 1)[-1] for label in result.labels if label != OUTSIDE)
    return {kind: number % COLOURS for number, kind in enumerate(types)}


def reading(result: TokenClassificationResult) -> Markup:
    """Draw the text with the entities of the MAIN strategy, and what the colours stand for."""
    lit = _lit(result, result.entities[MAIN], "lab-large")
    said = f"Joined by “{MAIN}”: {HOW[MAIN][0].lower()}{HOW[MAIN][1:]}"
    return Markup('{}{}<p class="lab-said">{}</p>').format(lit, _legend(result), said)


def _legend(result: TokenClassificationResult) -> Markup:
    rows = [
        Markup('<li><span class="lab-entity lab-kind-{}">{}</span> {}</li>').format(
            colour, kind, MEANINGS.get(kind, "")
        )
        for kind, colour in kinds(result).items()
    ]
    return Markup('<ul class="lab-entity-types" aria-label="Types">{}</ul>').format(join(rows))


def _lit(result: TokenClassificationResult, entities: Sequence[Entity], css: str = "") -> Markup:
    """Draw every character of the text once, entities marked; disputed ones have a dashed line."""
    colours, parts, at = kinds(result), [], 0
    for entity in entities:
        begin, end = max(entity.span[0], at), entity.span[1]
        if begin < end:
            parts += [_as_typed(result.text[at:begin]), _mark(result, entity, begin, colours)]
            at = end
    size = " lab-long" if len(result.text) > _LONG else ""
    return Markup('<div class="lab-entities {}{}" dir="auto" tabindex="0">{}</div>').format(
        css, size, join([*parts, _as_typed(result.text[at:])])
    )


def _mark(
    result: TokenClassificationResult, entity: Entity, begin: int, colours: Mapping[str, int]
) -> Markup:
    disputed = any(_inside(entity, each) for each in result.disputes)
    return Markup(
        '<mark class="lab-entity lab-kind-{}{}" title="{}, {}">{}<small>{}</small></mark>'
    ).format(
        colours.get(entity.type, 0),
        " lab-disputed" if disputed else "",
        MEANINGS.get(entity.type, entity.type),
        percent(entity.score),
        _as_typed(result.text[begin : entity.span[1]]),
        entity.type,
    )


def _inside(entity: Entity, dispute: Dispute) -> bool:
    return entity.span[0] < dispute.span[1] and dispute.span[0] < entity.span[1]


def _as_typed(text: str) -> Markup:
    """Escape `text` so that the browser keeps every character: it drops a carriage return."""
    return Markup("&#13;").join(text.split("\r"))


def ways(result: TokenClassificationResult) -> Markup:
    """Draw the four strategies side by side, and below them where they disagree."""
    cards = [
        Markup('<section class="lab-joining"><h4>{}</h4><p>{}</p>{}</section>').format(
            way, HOW[way], _lit(result, result.entities[way])
        )
        for way in Strategy
    ]
    return Markup('<h3 class="lab-joined">{}</h3><div class="lab-joinings">{}</div>{}').format(
        _agreement(result), join(cards), _disputes(result)
    )


def _agreement(result: TokenClassificationResult) -> str:
    count = len(result.disputes)
    if not count:
        return "The four ways to join pieces agree"
    return f"The four ways to join pieces disagree at {count} place{'s' if count > 1 else ''}"


def _disputes(result: TokenClassificationResult) -> Markup:
    if not result.disputes:
        return EMPTY
    head = join([Markup('<th scope="col">{}</th>').format(way) for way in Strategy])
    rows = join([_dispute(result, each) for each in result.disputes[:_DISPUTES]])
    rest = len(result.disputes) - _DISPUTES
    more = f"{rest:,} more places are found in the table of all numbers." if rest > 0 else ""
    return Markup(
        '<div class="lab-disputes" tabindex="0" role="region" aria-label="Where they disagree">'
        '<table><thead><tr><th scope="col">Where</th>{}</tr></thead><tbody>{}</tbody></table></div>'
        '<p class="lab-said">{}</p>'
    ).format(head, rows, more)


def _dispute(result: TokenClassificationResult, dispute: Dispute) -> Markup:
    where = shortened(result.text[slice(*dispute.span)], _QUOTED)
    cells = join([_cell(result, dispute.readings[way]) for way in Strategy])
    return Markup('<tr><th scope="row"><bdi>{}</bdi></th>{}</tr>').format(where, cells)


def _cell(result: TokenClassificationResult, entities: Sequence[Entity]) -> Markup:
    if not entities:
        return Markup("<td>no entity</td>")
    colours = kinds(result)
    said = [
        Markup(
            '<p><span class="lab-entity lab-kind-{}"><bdi>{}</bdi><small>{}</small></span> {}</p>'
        ).format(
            colours.get(e.type, 0),
            shortened(_text(result.text, e), _QUOTED),
            e.type,
            percent(e.score).replace(" ", "\u00a0"),
        )
        for e in entities
    ]
    return Markup("<td>{}</td>").format(join(said))


def pieces(result: TokenClassificationResult) -> Markup:
    """Draw every piece with its own label, as buttons; one is pressed (see assets/pick.js)."""
    colours = kinds(result)
    shown = result.pieces[:_PIECES]
    chips = join([_chip(i, piece, result.chosen, colours) for i, piece in enumerate(shown)])
    rest = len(result.pieces) - len(shown)
    more = f" {rest:,} more pieces stand in the table below." if rest else ""
    return Markup('<p class="lab-said">{}</p><div class="lab-labelled">{}</div>').format(
        f"Not joined (“none”): B- begins a name, I- goes on, O is outside. Press one.{more}",
        chips,
    )


def _chip(position: int, piece: Piece, chosen: int, colours: Mapping[str, int]) -> Markup:
    kind = piece.label.split("-", 1)[-1]
    tone = f" lab-kind-{colours[kind]}" if kind in colours else ""
    return Markup(
        '<button type="button" class="lab-entity-piece{}{}" data-value="{}" aria-pressed="{}" '
        'tabindex="{}" title="{}, {}">{}<small>{}</small></button>'
    ).format(
        tone,
        " lab-goes-on" if piece.goes_on else "",
        position,
        str(position == chosen).lower(),
        0 if position == chosen else -1,
        piece.label,
        percent(piece.score),
        piece.token,
        piece.label,
    )


def piece_bars(result: TokenClassificationResult) -> Markup:
    """Draw the probability of every label for the piece that is pressed."""
    piece = result.pieces[result.chosen]
    order = sorted(range(len(result.labels)), key=lambda i: -piece.scores[i])
    rows = [Bar(result.labels[i], piece.scores[i]) for i in order]
    begin, end = piece.span
    return Markup('<section class="lab-panel"><h4>{}</h4>{}</section>').format(
        Markup("The piece “{}”, characters {} to {}: all labels share 100 %").format(
            piece.token, begin, end
        ),
        bars(rows),
    )


def table(result: TokenClassificationResult) -> list[list[Cell]]:
    """List what every strategy finds, in the order of the text."""
    return [
        [way.value, e.type, *e.span, percent(e.score), _text(result.text, e)]
        for way in Strategy
        for e in result.entities[way]
    ]


def download(result: TokenClassificationResult) -> Markup:
    """Offer what every strategy finds as a file, with plain numbers."""
    rows: list[list[Cell]] = [
        [way.value, e.type, *e.span, round(e.score, 6), _text(result.text, e)]
        for way in Strategy
        for e in result.entities[way]
    ]
    return csv_link("entities.csv", HEADERS, rows)


def piece_table(result: TokenClassificationResult) -> dict[str, list[object]]:
    """List every piece with the probability of every label."""
    rows: list[object] = [
        [
            piece.token,
            *piece.span,
            "goes on" if piece.goes_on else "begins",
            piece.label,
            percent(piece.score),
            *(percent(score) for score in piece.scores),
        ]
        for piece in result.pieces
    ]
    return {"headers": [*PIECE_HEADERS, *result.labels], "data": rows}
