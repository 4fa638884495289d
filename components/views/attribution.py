"""Which words decided: the text three times, coloured by three methods, and the table of them.

What is said of a word travels with the page, as data attributes that assets/attribution.js reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from markupsafe import Markup

from components.models.families import Task
from components.tasks.attribution import AttributionResult, DecidedWord, Method
from components.views.download import Cell, csv_link
from components.views.followed import answers as followed_answers
from components.views.markup import finding as draw_finding
from components.views.markup import join
from components.views.wording import cosine, percent, points, shortened, signed, signed_points

HEADERS = [
    "Word",
    "Rank: hidden",
    "Logit lost when hidden",
    "Probability when hidden",
    "Rank: gradients",
    "Added to the logit",
    "Rank: attention",
    "Attention",
]
SCALES = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)  # logits at full colour; less than 0.5 never is
SMALL = 0.01  # changes of the probability below one point count as small
_TRUSTED = 0.1  # of what was gained: a larger gap is warned of
_LARGE = 40  # words that are drawn in large type
_NAMED = 30  # characters of a word in a headline
_TEXTS = {
    Task.NEXT_SENTENCE: ("Sentence A", "Sentence B"),
    Task.SENTENCE_ORDER: ("Sentence A", "Sentence B"),
    Task.QUESTION_ANSWERING: ("Question", "Passage"),
}
NAMES = {
    Method.OCCLUSION: "Each word hidden",
    Method.GRADIENTS: "Integrated gradients",
    Method.ATTENTION: "Attention",
}


def finding(result: AttributionResult) -> Markup:
    """State which word matters most to the answer, and how far the methods agree."""
    return draw_finding(
        _headline(result), model_id=result.model_id, notices=tuple(_notices(result))
    )


def _headline(result: AttributionResult) -> str:
    answer = shortened(result.followed.answer, _NAMED)
    most = max(result.words, key=lambda word: abs(_change(result, word)))
    change = _change(result, most)
    if abs(change) < SMALL:
        return (
            f"No single word decides: hiding any one of the {len(result.words)} moves “{answer}” "
            "by less than 1 point."
        )
    by = signed_points(abs(change)).lstrip("+")
    if change < 0:
        return f"Hiding “{_short(most)}” costs “{answer}” {by} points, more than any other word"
    return f"Hiding “{_short(most)}” gives “{answer}” {by} points: it spoke most against it"


def _change(result: AttributionResult, word: DecidedWord) -> float:
    return word.without.score - result.followed.score


def _short(word: DecidedWord) -> str:
    return shortened(word.word, _NAMED)


def _notices(result: AttributionResult) -> Iterator[str]:
    followed = result.followed
    own = "" if followed.answer == result.own_answer else f" Its own is “{result.own_answer}”."
    yield (
        f"With all words in sight the model gives “{followed.answer}” {percent(followed.score)} "
        f"(logit {signed(followed.logit)}).{own}"
    )
    firsts = {method: result.words[result.ranking(method)[0]] for method in Method}
    if len({word.span for word in firsts.values()}) > 1:
        named = "; ".join(f"{NAMES[method]}: “{_short(firsts[method])}”" for method in Method)
        yield f"The methods put different words first. {named}."
    yield from result.notices


def answers(result: AttributionResult) -> Markup:
    """Draw the best answers; a click follows another one."""
    return followed_answers(result.followed, result.choices, "The model’s answers.")


def strips(result: AttributionResult) -> Markup:
    """Draw the text once for each method, coloured by what it says of each word."""
    scale = _scale(result)
    pressed = result.ranking(Method.OCCLUSION)[0]
    drawn = join([_strip(result, method, scale, pressed) for method in Method])
    return Markup(
        '<div class="lab-decided"><p class="lab-decided-says" aria-live="polite">{}</p>{}'
        '<div class="lab-map-legend lab-decided-legend"><i aria-hidden="true"></i><p><span>speaks '
        "against “{}”</span><span>nothing</span><span>speaks for it</span></p><p>The first two "
        "have one scale: the colour is full at a logit of {:g}.</p></div></div>"
    ).format(_says(result, pressed), drawn, shortened(result.followed.answer, _NAMED), scale)


def _scale(result: AttributionResult) -> float:
    """Give the logit that is drawn in full, of occlusion and gradients alike."""
    largest = max(abs(n) for word in result.words for n in (word.occlusion, word.gradients))
    return next((step for step in SCALES if step >= largest), SCALES[-1])


def _strip(result: AttributionResult, method: Method, scale: float, pressed: int) -> Markup:
    top = max(word.attention for word in result.words) or 1.0
    scale = top if method is Method.ATTENTION else scale
    rows = [_text(result, number, method, scale, pressed) for number in range(len(result.texts))]
    css = "" if len(result.words) <= _LARGE else " lab-small"
    return Markup(
        '<section class="lab-panel" aria-label="{}"><h4><b>{}.</b> {}</h4>'
        '<div class="lab-decided-text lab-by-{}{}">{}</div></section>'
    ).format(
        NAMES[method],
        NAMES[method],
        _explained(result, method),
        method.name.lower(),
        css,
        join(rows),
    )


def _explained(result: AttributionResult, method: Method) -> str:
    answer = shortened(result.followed.answer, _NAMED)
    if method is Method.OCCLUSION:
        return f"What the logit of “{answer}” loses when that word alone is hidden by a mask."
    if method is Method.ATTENTION:
        top = max(word.attention for word in result.words)
        return (
            "Where the place looked that the answer is read from, through all layers (rollout). It "
            f"knows no for and against; the colour is full at {percent(top)}. Its order and that "
            "of the words hidden agree by "
            f"{cosine(result.agreement(Method.OCCLUSION, Method.ATTENTION))} (1 the same, 0 none)."
        )
    way = result.way
    return (
        f"What each word adds to the logit on the way from a text of nothing but {way.baseline} "
        f"to this one. Together they add {signed(way.added)}; measured, the logit rose from "
        f"{signed(way.start)} to {signed(way.end)}, by {signed(way.gained)}. {_gap(result)}"
    )


def _gap(result: AttributionResult) -> str:
    """Say how complete the integrated gradients are, and what a gap means."""
    gap = result.way.gap
    if abs(gap) < 0.005:
        return f"They leave no gap: {result.way.steps} steps were enough."
    share = abs(gap / result.way.gained) if result.way.gained else 1.0
    warning = (
        " That is too much to trust these numbers: take more steps, or the other start."
        if share > _TRUSTED
        else ""
    )
    return (
        f"The gap of {signed(gap)} is error, for {result.way.steps} steps only follow a curve "
        f"roughly.{warning}"
    )


def _text(
    result: AttributionResult, number: int, method: Method, scale: float, pressed: int
) -> Markup:
    """Draw one of the texts, all its characters kept."""
    text, parts, end = result.texts[number], [], 0
    for at, word in enumerate(result.words):
        if word.text == number:
            parts.append(text[end : word.span[0]])
            parts.append(_word(word, at, method, scale, (result, pressed)))
            end = word.span[1]
    label = (
        Markup('<span class="lab-decided-label">{}</span>').format(_TEXTS[result.task][number])
        if len(result.texts) > 1
        else ""
    )
    return Markup("<p>{}{}</p>").format(label, join([*parts, text[end:]]))


def _word(
    word: DecidedWord, at: int, method: Method, scale: float, shown: tuple[AttributionResult, int]
) -> Markup:
    result, pressed = shown
    score = word.score(method)
    says = _says(result, at) if method is Method.OCCLUSION else ""
    return Markup(
        '<button type="button" class="lab-decided-word lab-{}" style="--s:{:.3f}" data-word="{}" '
        'aria-pressed="{}" tabindex="{}" title="{}"{}>{}</button>'
    ).format(
        "against" if score < 0 else "for",
        min(1.0, abs(score) / scale),
        at,
        "true" if at == pressed else "false",
        0 if at == pressed else -1,
        _figure(word, method),
        Markup(' data-says="{}"').format(says) if says else "",
        word.word,
    )


def _figure(word: DecidedWord, method: Method) -> str:
    score = word.score(method)
    return percent(score) if method is Method.ATTENTION else signed(score)


def _says(result: AttributionResult, at: int) -> str:
    word, answer = result.words[at], shortened(result.followed.answer, _NAMED)
    ranks = {method: result.ranking(method).index(at) + 1 for method in Method}
    return (
        f"“{_short(word)}”: without it “{answer}” has {percent(word.without.score)} "
        f"({points(_change(result, word))}), the logit loses {signed(word.occlusion)} (rank "
        f"{ranks[Method.OCCLUSION]} of {len(result.words)}). Integrated gradients: "
        f"{signed(word.gradients)} (rank {ranks[Method.GRADIENTS]}). Attention: "
        f"{percent(word.attention)} (rank {ranks[Method.ATTENTION]})."
    )


def table(result: AttributionResult) -> list[list[Any]]:
    """List every word with its rank and its number by each method, in reading order."""
    places = {method: _places(result, method) for method in Method}
    return [
        [
            word.word,
            places[Method.OCCLUSION][at],
            signed(word.occlusion),
            percent(word.without.score),
            places[Method.GRADIENTS][at],
            signed(word.gradients),
            places[Method.ATTENTION][at],
            percent(word.attention),
        ]
        for at, word in enumerate(result.words)
    ]


def _places(result: AttributionResult, method: Method) -> dict[int, int]:
    return {at: place for place, at in enumerate(result.ranking(method), start=1)}


def download(result: AttributionResult) -> Markup:
    """Offer the numbers of all words, unrounded, as a file."""
    names = ["text", "start", "end", "word", "logit_lost_when_hidden", "probability_when_hidden"]
    rows: list[list[Cell]] = []
    for word in result.words:
        figures = (word.occlusion, word.without.score, word.gradients, word.attention)
        rows.append([word.text, *word.span, word.word, *(round(n, 6) for n in figures)])
    return csv_link("words.csv", [*names, "added_to_the_logit", "attention"], rows)


def numbers(result: AttributionResult) -> dict[str, Any]:
    """Give programs what the page shows."""
    deletion = result.deletion
    return {
        "model_id": result.model_id,
        "task": result.task.value,
        "followed": asdict(result.followed),
        "own_answer": result.own_answer,
        "words": [asdict(word) for word in result.words],
        "way": {**asdict(result.way), "gap": result.way.gap},
        "hidden": list(deletion.hidden),
        "curves": {name: list(curve) for name, curve in deletion.curves.items()},
        "areas": deletion.areas(),
        "random_areas": list(deletion.random_areas()),
        "notices": list(result.notices),
    }
