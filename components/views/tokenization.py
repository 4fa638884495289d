"""One text as every tokenizer reads it: rows of pieces linked to the characters, and a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from components.models.catalog import find_card
from components.models.encoding import Span
from components.tasks.compare import Refusal
from components.tasks.tokenization import Kind, Piece, Row, TokenizationResult
from components.views.letters import described, isolated, visible
from components.views.markup import EMPTY, join
from components.views.markup import finding as draw_finding
from components.views.normalizer import draw_steps
from components.views.wording import shortened

HEADERS = ["Tokenizer", "Position", "Piece", "Id", "Kind", "Text", "Characters", "Bytes"]
MAX_DRAWN = 300  # pieces of one row that are drawn, and listed in the table
_TINTS = 5  # colours of words, in turn: see assets/style.css
_TOLD = 6  # unknown texts that a notice names
_LONGEST = 30  # characters of a text that is told in a sentence
KINDS = {Kind.PIECE: "piece", Kind.SPECIAL: "special token", Kind.UNKNOWN: "unknown"}
_REST = "Point at a piece or at a character, or move by keyboard: what belongs together lights up."

Group = tuple[Row, ...]


def finding(result: TokenizationResult) -> Markup:
    """State the word that the tokenizers split most differently, and how long the text is."""
    if not result.groups:
        return draw_finding(
            "None of the tokenizers could be opened", notices=list(_notices(result))
        )
    lengths = sorted(len(group[0].pieces) for group in result.groups)
    span = f"{lengths[0]}" if lengths[0] == lengths[-1] else f"{lengths[0]} to {lengths[-1]}"
    headline = f"{_widest(result)}; the text is {span} tokens long"
    return draw_finding(headline, notices=list(_notices(result)))


def _widest(result: TokenizationResult) -> str:
    groups = result.groups
    word = max(range(len(result.words)), key=lambda i: _interest(result, i), default=None)
    if word is None:  # nothing but spaces and marks
        return "There is no word in it"
    fewest = min(groups, key=lambda group: group[0].per_word[word])
    most = max(groups, key=lambda group: group[0].per_word[word])
    said = _quoted(result.text[slice(*result.words[word].span)])
    first, last = fewest[0].per_word[word], most[0].per_word[word]
    if first == last:
        who = "all" if len(groups) > 1 else names(fewest)
        return f"{said} is {_pieces(first)} for {who}"
    comma = "," if len(fewest) > 1 else ""
    return f"{said} is {_pieces(first)} for {names(fewest)}{comma} and {last} for {names(most)}"


def _interest(result: TokenizationResult, word: int) -> tuple[int, bool, int]:
    counts = [group[0].per_word[word] for group in result.groups]
    return max(counts) - min(counts), result.words[word].is_letters(result.text), max(counts)


def _pieces(count: int) -> str:
    return {0: "no piece", 1: "1 piece"}.get(count, f"{count} pieces")


def name(row: Row) -> str:
    """Call a bundled tokenizer by its family, one of the Hub by its id."""
    return row.family if find_card(row.model_id) else row.model_id


def names(group: Group) -> str:
    """Name all the rows of a group, as in "BERT, DistilBERT and ELECTRA"."""
    *others, last = map(name, group)
    return f"{', '.join(others)} and {last}" if others else last


def _notices(result: TokenizationResult) -> Iterator[str]:
    for group in result.groups:
        row = group[0]
        yield from (notice for one in group for notice in one.notices)
        if row.unknown:
            yield _unknown(result.text, group)
        if row.cut_at is not None:
            begin = _quoted(result.text[row.cut_at :])
            yield (
                f"{names(group)}: {row.max_length} tokens can be read, and the text has "
                f"{len(row.pieces)}. From {begin} on it is cut off."
            )
    yield from _typed_specials(result)


def _unknown(text: str, group: Group) -> str:
    lost = [text[slice(*piece.span)] for piece in group[0].unknown if piece.span]
    told = ", ".join(_quoted(one) for one in list(dict.fromkeys(lost))[:_TOLD])
    token = group[0].unknown[0].token
    return (
        f"{names(group)}: the vocabulary has nothing for {told}. {len(lost)} "
        f"{'piece is' if len(lost) == 1 else 'pieces are'} {token}, and what stood there is lost."
    )


def _typed_specials(result: TokenizationResult) -> Iterator[str]:
    typed: dict[str, list[Group]] = {}
    for group in result.groups:
        for token in dict.fromkeys(p.token for p in group[0].pieces if _is_typed(p)):
            typed.setdefault(token, []).append(group)
    for token, groups in typed.items():
        who = names(tuple(row for group in groups for row in group))
        others = " For the others it is plain text." if len(groups) < len(result.groups) else ""
        yield f"{token} was typed: it is the special token for {who}.{others}"


def _is_typed(piece: Piece) -> bool:
    return piece.kind is Kind.SPECIAL and piece.span is not None


def _quoted(text: str) -> str:
    return f"“{isolated(visible(shortened(text, _LONGEST)))}”"


def picture(result: TokenizationResult) -> Markup:
    """Draw the text, and below it a row of pieces for every way to split it."""
    rows = join([_row(result, group) for group in result.groups])
    refused = join([_refused(e) for e in result.entries if isinstance(e, Refusal)])
    return Markup('<div class="lab-linking">{}{}{}{}</div>').format(
        _text(result), _says(), rows, refused
    )


def _says() -> Markup:
    return Markup('<p class="lab-link-says" aria-live="polite" data-rest="{0}">{0}</p>').format(
        _REST
    )


def _text(result: TokenizationResult) -> Markup:
    words = {at: i for i, word in enumerate(result.words) for at in range(*word.span)}
    starts = [0]
    for character in result.text:
        starts.append(starts[-1] + len(character.encode("utf-8")))
    parts = [
        _character(result.text[start:stop], (start, stop), starts, words.get(start))
        for start, stop in result.characters
    ]
    return Markup(
        '<p class="lab-link-text" dir="auto" role="group" aria-label="The text, character by '
        'character" data-line>{}</p>'
    ).format(join(parts))


def _character(text: str, span: Span, starts: Sequence[int], word: int | None) -> Markup:
    start, stop = span
    says = (
        f"“{isolated(visible(text, spaces=True))}” · {described(text)} · "
        f"characters {start}:{stop} · bytes {starts[start]}:{starts[stop]}"
    )
    shown = f"{visible(text)}\n" if text == "\n" else text if text == " " else _seen(text)
    return Markup(
        '<span{} data-from="{}" data-to="{}" data-says="{}" tabindex="{}">{}</span>'
    ).format(_tint(word), start, stop, says, "-1" if start else "0", shown)


def _seen(text: str) -> str:
    """Leave joiners inside an emoji alone: it would fall apart."""
    return visible(text) if len(text) == 1 else text


def _tint(word: int | None) -> Markup:
    return EMPTY if word is None else Markup(' class="lab-tint-{}"').format(word % _TINTS)


def _row(result: TokenizationResult, group: Group) -> Markup:
    row = group[0]
    chips = join([_chip(result, piece, i) for i, piece in enumerate(row.pieces[:MAX_DRAWN])])
    more = len(row.pieces) - MAX_DRAWN
    rest = Markup('<span class="lab-link-more">… and {:,} more</span>').format(more)
    return Markup(
        '<section class="lab-link-row"><h4>{}<small>{}</small></h4>'
        '<p class="lab-link-pieces" dir="ltr" role="group" aria-label="Pieces for {}" data-line>'
        "{}{}</p>{}</section>"
    ).format(_badges(group), _counts(group), names(group), chips, rest if more > 0 else EMPTY,
             draw_steps(row.steps))  # fmt: skip


def _badges(group: Group) -> Markup:
    return join(
        [
            Markup('<span class="lab-family lab-{}">{}</span> ').format(row.model_type, name(row))
            for row in group
        ]
    )


def _counts(group: Group) -> str:
    row = group[0]
    special = sum(piece.kind is Kind.SPECIAL for piece in row.pieces)
    said = [f"{len(row.pieces):,} tokens, {special} of them special"]
    if row.unknown:
        said.append(f"{len(row.unknown)} unknown")
    said.append(f"at most {row.max_length:,} can be read")
    if len(group) > 1:
        said.append("the same pieces with the same ids")
    return " · ".join(said)


def _chip(result: TokenizationResult, piece: Piece, position: int) -> Markup:
    start, stop = piece.span or (0, 0)  # of no characters: it links to nothing
    css = ["lab-unit", f"lab-unit-{piece.kind}"]
    if piece.word is not None and piece.kind is not Kind.SPECIAL:
        css.append(f"lab-tint-{piece.word % _TINTS}")
    if piece.is_cut:
        css.append("lab-unit-cut")
    lost = ""
    if piece.kind is Kind.UNKNOWN:
        lost = Markup("<small>for <bdi>{}</bdi></small>").format(
            visible(shortened(result.text[start:stop], 12))
        )
    return Markup(
        '<button type="button" class="{}" data-from="{}" data-to="{}" data-says="{}" '
        'tabindex="{}"><bdi>{}</bdi>{}<small>{}</small></button>'
    ).format(" ".join(css), start, stop, _piece_says(result, piece, position),
             "-1" if position else "0", visible(piece.token), lost, piece.token_id)  # fmt: skip


def _piece_says(result: TokenizationResult, piece: Piece, position: int) -> str:
    said = [f"“{isolated(visible(piece.token))}”", f"token {position}", f"id {piece.token_id}"]
    if piece.kind is not Kind.PIECE:
        said.append(KINDS[piece.kind])
    if piece.span is None or piece.byte_span is None:
        said.append("added by the tokenizer: it stands for no characters of the text")
    else:
        said.append(_stands_for(result.text, piece.span, piece.byte_span))
        said.append(f"characters {_slice(piece.span)} · bytes {_slice(piece.byte_span)}")
    if piece.is_cut:
        said.append("cut off: the network does not read it")
    return " · ".join(said)


def _stands_for(text: str, span: Span, byte_span: Span) -> str:
    part = text[slice(*span)]
    whole, own = len(part.encode("utf-8")), byte_span[1] - byte_span[0]
    if span[0] == span[1]:
        return "marks where a word begins"
    if own < whole:
        return f"{own} of the {whole} bytes of “{isolated(visible(part))}”"
    return f"stands for “{isolated(visible(shortened(part, _LONGEST), spaces=True))}”"


def _slice(span: Span | None) -> str:
    return "–" if span is None else f"{span[0]}:{span[1]}"


def _refused(refusal: Refusal) -> Markup:
    return Markup('<p class="lab-unsaid"><b>{}</b> {}</p>').format(refusal.model_id, refusal.reason)


def table(result: TokenizationResult) -> list[list[str | int]]:
    """List the pieces of every row, one row a piece."""
    return [
        [
            names(group),
            position,
            visible(piece.token),
            piece.token_id,
            KINDS[piece.kind],
            visible(result.text[slice(*piece.span)]) if piece.span else "–",
            _slice(piece.span),
            _slice(piece.byte_span),
        ]
        for group in result.groups
        for position, piece in enumerate(group[0].pieces[:MAX_DRAWN])
    ]
