"""Three fillings of the same blanks as cards, the beam as bars, pairs of words as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from markupsafe import Markup

from components.tasks.fill_mask import NoBlankError
from components.tasks.joint_mask import Filling, JointMaskResult, Pairs, Way
from components.views.fill_mask import sentence
from components.views.markup import EMPTY, Bar, bars, join
from components.views.markup import finding as draw_finding
from components.views.wording import percent

HEADERS = ["How", "Words", "Joint probability", "Right to left", "Each when chosen", "Order"]
NAMES = {"alone": "Each on its own", "surest": "The surest first", "joint": "Jointly"}
_HOW = {
    "alone": "All blanks are hidden, and each gets its best word, as transformers fills them.",
    "surest": "The blank that the model is surest of is filled, then it looks again.",
    "joint": "The words that are most probable together, as far as the beam has looked.",
}
_NTH = ("first", "second", "third", "fourth", "fifth")
_SAME = 1e-9  # what two products of the same numbers can differ by


def finding(result: JointMaskResult) -> Markup:
    """State where the three ways disagree, and what the fillings are worth together."""
    return draw_finding(
        _headline(result),
        model_id=result.model_id,
        notices=(*result.notices, *_beaten(result)),
    )


def _headline(result: JointMaskResult) -> str:
    joint, alone, surest = (result.way(name).filling for name in ("joint", "alone", "surest"))
    told = f"{_quoted(joint)} ({percent(joint.score)})"
    if len(result.spans) == 1:
        return f"{told} fills the only blank"
    if joint.token_ids == alone.token_ids == surest.token_ids:
        return f"All three ways agree on {told}"
    if joint.token_ids == alone.token_ids:
        return (
            f"The surest first gives {_quoted(surest)} ({percent(surest.score)}); jointly, and "
            f"each on its own, it is {told}"
        )
    return f"Jointly {told}; each on its own {_quoted(alone)} ({percent(alone.score)})"


def _quoted(filling: Filling) -> str:
    return f"“{' … '.join(filling.words)}”"


def _beaten(result: JointMaskResult) -> Iterator[str]:
    """Say when the search missed a better filling: a beam is no exhaustive search."""
    best = max(result.ways, key=lambda way: way.filling.score)
    if best.filling.score > result.way("joint").filling.score * (1 + _SAME):
        yield (
            f"“{NAMES[best.id]}” found a more probable filling than the beam of "
            f"{len(result.beam)}, which dropped its beginning too early. Try a wider beam."
        )


def strip(result: JointMaskResult | NoBlankError) -> Markup:
    """Draw the sentence with the joint filling: a click hides a word, or puts one in."""
    best = {}
    if not isinstance(result, NoBlankError):
        best = dict(zip(result.spans, result.way("joint").filling.words, strict=True))
    return sentence(result.text, result.words, result.mask_token, best)


def cards(result: JointMaskResult) -> Markup:
    """Draw one card for each way; what differs from the joint filling is marked."""
    drawn = join([_card(result, way) for way in result.ways])
    return Markup('<div class="lab-panels lab-ways">{}</div>').format(drawn)


def _card(result: JointMaskResult, way: Way) -> Markup:
    rows = [
        Bar(word, score, remark=f"blank {blank + 1}{_when(way, blank)}")
        for blank, (word, score) in enumerate(zip(way.filling.words, way.chosen, strict=True))
    ]
    together = Bar(
        "together", way.filling.score, remark=f"right to left: {percent(way.backwards)}", tone="yes"
    )
    return Markup(
        '<section class="lab-panel lab-way"><h4>{}</h4><p class="lab-way-how">{}</p>'
        '<p class="lab-way-text">{}</p>{}</section>'
    ).format(NAMES[way.id], _HOW[way.id], _filled(result, way), bars([*rows, together]))


def _when(way: Way, blank: int) -> str:
    if way.id == "alone" or len(way.order) == 1:
        return ""
    return f", filled {_NTH[way.order.index(blank)]}"


def _filled(result: JointMaskResult, way: Way) -> Markup:
    best, parts, end = result.way("joint").filling, [], 0
    for blank, (start, stop) in enumerate(result.spans):
        differs = way.filling.token_ids[blank] != best.token_ids[blank]
        parts.append(Markup("{}").format(result.text[end:start]))
        parts.append(
            Markup('<mark class="{}">{}</mark>').format(
                "lab-filled lab-differs" if differs else "lab-filled", way.filling.words[blank]
            )
        )
        end = stop
    return join([*parts, result.text[end:]])


def search(result: JointMaskResult) -> Markup:
    """Draw the best fillings of the beam and, of two blanks, the table of pairs."""
    total = sum(filling.score for filling in result.beam)
    rows = [Bar(" … ".join(filling.words), filling.score) for filling in result.beam]
    beam = Markup(
        '<section class="lab-panel lab-beam"><h4>The {} best fillings that the beam found: '
        "together they hold {} of all probability</h4>{}</section>"
    ).format(len(rows), percent(total), bars(rows))
    return Markup("{}{}").format(beam, _grid(result.pairs) if result.pairs else EMPTY)


def _grid(pairs: Pairs) -> Markup:
    head = join([Markup('<th scope="col">{}</th>').format(word) for word in pairs.seconds])
    body = join([_row(pairs, row) for row in range(len(pairs.firsts))])
    return Markup(
        '<section class="lab-panel"><h4>Every pair of these words: the first blank down, the '
        "second across. The joint choice is framed; a dashed frame is round what each blank "
        "chose on its own.</h4>"
        '<div class="lab-pairs" tabindex="0" role="region" aria-label="Joint probabilities">'
        "<table><thead><tr><td></td>{}</tr></thead><tbody>{}</tbody></table></div></section>"
    ).format(head, body)


def _row(pairs: Pairs, row: int) -> Markup:
    cells = join([_cell(pairs, row, column) for column in range(len(pairs.seconds))])
    return Markup('<tr><th scope="row">{}</th>{}</tr>').format(pairs.firsts[row], cells)


def _cell(pairs: Pairs, row: int, column: int) -> Markup:
    score = float(pairs.scores[row, column])
    css = "lab-pair-joint" if (row, column) == pairs.joint else ""
    css += " lab-pair-alone" if (row, column) == pairs.alone else ""
    strength = (score / pairs.scores.max()) ** 0.5 if pairs.scores.max() > 0 else 0
    return Markup('<td class="{}" style="--strength:{:.3f}">{}</td>').format(
        css.strip(), strength, percent(score)
    )


def table(result: JointMaskResult) -> list[list[str]]:
    """List the three ways, then every filling of the beam."""
    rows = [
        [
            NAMES[way.id],
            " … ".join(way.filling.words),
            percent(way.filling.score),
            percent(way.backwards),
            ", ".join(map(percent, way.chosen)),
            ", ".join(str(blank + 1) for blank in way.order),
        ]
        for way in result.ways
    ]
    return rows + [
        [
            f"Beam {number}",
            " … ".join(filling.words),
            percent(filling.score),
            "",
            ", ".join(map(percent, filling.steps)),
            "left to right",
        ]
        for number, filling in enumerate(result.beam, start=1)
    ]


def numbers(result: JointMaskResult) -> dict[str, Any]:
    """Give programs what the page shows; `joint` is the product of the steps."""
    return {
        "model_id": result.model_id,
        "text": result.text,
        "ways": [
            {**asdict(way), "filling": _joined(way.filling), "name": NAMES[way.id]}
            for way in result.ways
        ],
        "beam": [_joined(filling) for filling in result.beam],
        "notices": list(result.notices),
    }


def _joined(filling: Filling) -> dict[str, Any]:
    return {**asdict(filling), "joint": filling.score}
