"""A story by the heads for pairs: the order each would tell it in, and every pair as a square."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from markupsafe import Markup

from components.tasks.next_sentence import Refusal
from components.tasks.story import StoryResult, Told
from components.views.download import Cell, csv_link
from components.views.markup import EMPTY, join, model_line
from components.views.markup import finding as draw_finding
from components.views.next_sentence import WORDINGS, unsaid
from components.views.wording import percent, shortened, signed

HEADERS = ["Model", "A", "B", "Probability that B comes after A", "Logit", "Other logit", "Gap"]
_QUOTED, _CELL = 60, 200  # characters of a sentence
_STRONGEST = 8.0  # a gap from which on a square is as dark as it gets: 99.97 %


def finding(told: Sequence[Told]) -> Markup:
    """Say how near each model comes to the true order, or how its order begins."""
    return draw_finding(" ".join(map(_headline, told)), notices=_notices(told))


def _headline(told: Told) -> str:
    if isinstance(told, Refusal):
        return unsaid(told)
    if told.truth is None:
        first = shortened(told.sentences[told.order[0]], _QUOTED)
        return f"{told.family} would begin with “{first}”."
    if told.order == told.truth.order:
        return f"{told.family} puts the story in its true order."
    pairs = len(told.sentences) * (len(told.sentences) - 1) // 2
    return (
        f"{told.family} has {told.truth.pairs_right} of {pairs} pairs the right way round; chance "
        f"has {pairs / 2:g}."
    )


def _notices(told: Sequence[Told]) -> Sequence[str]:
    said = [notice for one in _answered(told) for notice in one.notices]
    return list(dict.fromkeys(said))


def _answered(told: Sequence[Told]) -> Iterator[StoryResult]:
    return (one for one in told if isinstance(one, StoryResult))


def panels(told: Sequence[Told]) -> Markup:
    """Draw for each model the order it would tell the story in, then every pair."""
    return Markup('<div class="lab-story">{}</div>').format(join([_panel(one) for one in told]))


def _panel(told: Told) -> Markup:
    question = WORDINGS[told.task].question
    if isinstance(told, Refusal):
        return Markup(
            '<section class="lab-panel"><h4>{}</h4><p class="lab-unsaid">{}</p></section>'
        ).format(question, told.reason)
    return Markup(
        '<section class="lab-panel"><h4>{}</h4>{}<div class="lab-story-views"><div>{}{}</div>{}'
        "</div></section>"
    ).format(question, model_line(told.model_id), _order(told), _measured(told), _square(told))


def _order(told: StoryResult) -> Markup:
    """List the sentences as the model would tell them, with the gap to the one before."""
    rows = [_line(told, i) for i in range(len(told.order))]
    return Markup(
        '<ol class="lab-story-order" aria-label="Order of {}">{}</ol>'
    ).format(told.family, join(rows))  # fmt: skip


def _line(told: StoryResult, at: int) -> Markup:
    sentence = told.order[at]
    link = EMPTY
    if at:
        gap = float(told.gaps[told.order[at - 1], sentence])
        link = Markup('<span class="lab-story-link">gap {}</span>').format(signed(gap))
    is_kept, place = True, EMPTY
    if told.truth is not None:
        true = told.truth.order.index(sentence)
        before = told.truth.order[true - 1] if true else None
        is_kept = before == (told.order[at - 1] if at else None)
        place = Markup("<small>true place {}</small>").format(true + 1)
    css, name = "" if is_kept else "lab-story-moved", letter(sentence)
    return Markup('<li class="{}">{}<b>{}</b> <bdi>{}</bdi> {}</li>').format(
        css, link, name, told.sentences[sentence], place
    )


def letter(sentence: int) -> str:
    """Name a sentence, as given, by a letter: 0 is A."""
    return chr(ord("A") + sentence)


def _measured(told: StoryResult) -> Markup:
    said = (
        f"The best of {told.orders:,} orders, found exactly: its gaps add up to "
        f"{signed(told.total)}."
    )
    if told.truth is not None:
        said += (
            f" Those of the true order add up to {signed(told.truth.total)}: place "
            f"{told.truth.place:,} of {told.orders:,}."
        )
    return Markup('<p class="lab-said">{}</p>').format(said)


def _square(told: StoryResult) -> Markup:
    numbers = range(len(told.sentences))
    head = join([Markup('<th scope="col">{}</th>').format(letter(j)) for j in numbers])
    rows = [
        Markup('<tr><th scope="row">{}</th>{}</tr>').format(
            letter(i), join([_cell(told, i, j) for j in numbers])
        )
        for i in numbers
    ]
    return Markup(
        '<div class="lab-scroll" tabindex="0" role="region" aria-label="Every pair, as {} judges '
        'it"><table class="lab-square lab-story-square"><caption>Row first, then column: the gap, '
        "and the probability that the column comes after the row</caption><thead><tr><td></td>{}"
        "</tr></thead><tbody>{}</tbody></table></div>"
    ).format(told.family, head, join(rows))


def _cell(told: StoryResult, first: int, second: int) -> Markup:
    if first == second:
        return Markup("<td></td>")
    gap, score = float(told.gaps[first, second]), float(told.scores[first, second])
    css = ["lab-below"] if gap < 0 else []
    if (first, second) in set(pairwise(told.order)):
        css.append("lab-story-taken")
    pro, contra = (float(logit) for logit in told.logits[first, second])
    return Markup(
        '<td class="{}" style="--strength:{:.3f}" title="{}">{}<small>{}</small></td>'
    ).format(
        " ".join(css), min(abs(gap) / _STRONGEST, 1),
        f"{letter(second)} after {letter(first)}: logits {signed(pro)} and {signed(contra)}",
        signed(gap), percent(score),
    )  # fmt: skip


def _rows(told: Sequence[Told]) -> Iterator[tuple[StoryResult, int, int]]:
    for one in _answered(told):
        count = len(one.sentences)
        yield from ((one, i, j) for i in range(count) for j in range(count) if i != j)


def table(told: Sequence[Told]) -> list[list[str]]:
    """List every ordered pair with probability, both logits and their gap."""
    return [
        [
            one.model_id,
            shortened(one.sentences[i], _CELL),
            shortened(one.sentences[j], _CELL),
            percent(float(one.scores[i, j])),
            *(signed(float(logit)) for logit in one.logits[i, j]),
            signed(float(one.gaps[i, j])),
        ]
        for one, i, j in _rows(told)
    ]


def download(told: Sequence[Told]) -> Markup:
    """Offer the pairs as a file, with plain numbers."""
    rows: list[list[Cell]] = [
        [
            one.model_id, one.sentences[i], one.sentences[j],
            *(round(float(n), 6) for n in (one.scores[i, j], *one.logits[i, j], one.gaps[i, j])),
        ]
        for one, i, j in _rows(told)
    ]  # fmt: skip
    return csv_link("story.csv", HEADERS, rows)


def numbers(told: StoryResult) -> dict[str, object]:
    """Give programs what the page shows of one model; of a sentence with itself nothing is said."""
    count = range(len(told.sentences))

    def without_self(square: Sequence[Sequence[object]]) -> list[list[object]]:
        return [[None if i == j else square[i][j] for j in count] for i in count]

    truth = told.truth
    return {
        "model_id": told.model_id,
        "task": told.task.value,
        "sentences": list(told.sentences),
        "logits": without_self(told.logits.round(6).tolist()),
        "scores": without_self(told.scores.round(6).tolist()),
        "order": list(told.order),
        "total": told.total,
        "orders": told.orders,
        "truth": None
        if truth is None
        else {
            "order": list(truth.order),
            "total": truth.total,
            "place": truth.place,
            "pairs_right": truth.pairs_right,
            "neighbours_right": truth.neighbours_right,
        },
        "notices": list(told.notices),
    }
