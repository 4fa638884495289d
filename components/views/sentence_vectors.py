"""Sentences by their vectors: what a search finds, a square of cosines, a table."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from markupsafe import Markup

from components.tasks.geometry import Floats
from components.tasks.sentence_vectors import Hit, SentenceVectorsResult
from components.views.download import csv_link
from components.views.markup import EMPTY, join, model_line
from components.views.markup import finding as draw_finding
from components.views.wording import cosine, shortened

HEADERS = ["Model", "Sentence", "Other", "Cosine", "Mean taken away"]
_DRAWN = 16  # sentences in a square
_WRITTEN = 10  # sentences up to which a square holds numbers
_HITS = 8  # of a search that are drawn
_ROWS = 300  # of the table
_QUOTED = 60  # characters of a sentence in a headline

Beside = SentenceVectorsResult | str | None  # a second answer, why there is none, or nothing asked


def finding(result: SentenceVectorsResult, beside: Beside = None) -> Markup:
    """State what the search found first, or which two sentences are most alike."""
    notices = list(result.notices)
    if isinstance(beside, str):
        notices.append(beside)
    elif beside is not None:
        notices.append(f"{beside.model_id}: {_told(beside)}.")
        notices += [f"{beside.model_id}: {notice}" for notice in beside.notices]
    return draw_finding(_told(result), model_id=result.model_id, notices=notices)


def _told(result: SentenceVectorsResult) -> str:
    if result.hits:
        best = result.hits[0]
        return (
            f"“{_short(result.query)}” finds “{_short(result.sentences[best.sentence])}” first, "
            f"with cosine {cosine(best.raw)}; two random sentences have "
            f"{cosine(result.random_raw.mean)}"
        )
    if len(result.sentences) < 2:
        return "One sentence has nothing to be compared with: add another, or a search"
    i, j = most_alike(result.raw)
    return (
        f"Most alike are “{_short(result.sentences[i])}” and “{_short(result.sentences[j])}”, with "
        f"cosine {cosine(float(result.raw[i, j]))}; two random sentences have "
        f"{cosine(result.random_raw.mean)}"
    )


def _short(text: str) -> str:
    return shortened(text, _QUOTED)


def most_alike(matrix: Floats) -> tuple[int, int]:
    """Give the two different rows with the highest cosine."""
    pairs = [(i, j) for i in range(len(matrix)) for j in range(i + 1, len(matrix))]
    return max(pairs, key=lambda pair: float(matrix[pair]))


def panels(result: SentenceVectorsResult, beside: Beside = None) -> Markup:
    """Draw what each model finds and how alike it holds the sentences."""
    shown = [_panel(result, is_named=beside is not None)]
    if isinstance(beside, str):
        shown.append(Markup('<p class="lab-unsaid">{}</p>').format(beside))
    elif beside is not None:
        shown.append(_panel(beside, is_named=True))
    return Markup('<div class="lab-meanings">{}</div>').format(join(shown))


def _panel(result: SentenceVectorsResult, *, is_named: bool) -> Markup:
    random = result.random_raw
    return Markup(
        '<section class="lab-panel">{}<p class="lab-said">Two random sentences: cosine {}, nine '
        "of ten from {} to {}.</p>{}{}</section>"
    ).format(
        model_line(result.model_id) if is_named else EMPTY,  # alone, the finding names it
        cosine(random.mean),
        cosine(random.low),
        cosine(random.high),
        _search(result) if result.hits else EMPTY,
        _square(result),
    )


def _search(result: SentenceVectorsResult) -> Markup:
    """Draw the best sentences, each with a bar from 0 to 1 and a mark at a random pair's cosine."""
    rows = join([_hit(result, hit) for hit in result.hits[:_HITS]])
    left = len(result.hits) - _HITS
    more = Markup('<p class="lab-said">{} more in the table.</p>').format(left) if left > 0 else ""
    return Markup(
        "<h4>Nearest to “{}”. The line on a bar is what a random sentence would have.</h4>"
        '<div class="lab-hits">{}</div>{}'
    ).format(_short(result.query), rows, more)


def _hit(result: SentenceVectorsResult, hit: Hit) -> Markup:
    return Markup(
        '<div class="lab-hit"><bdi>{}</bdi><span class="lab-hit-track" style="--random:{:.3f}">'
        '<span class="lab-bar-fill" style="width:{:.2f}%"></span></span>'
        '<span class="lab-bar-value">{}</span><small>mean taken away {}</small></div>'
    ).format(
        result.sentences[hit.sentence],
        max(0.0, result.random_raw.mean),
        100 * max(0.0, hit.raw),
        cosine(hit.raw),
        cosine(hit.centred),
    )


def _square(result: SentenceVectorsResult) -> Markup:
    """Draw the cosines of all pairs twice: as they are, and with the mean taken away."""
    count = len(result.sentences)
    if count < 2:
        return EMPTY
    names = join(
        [
            Markup('<li value="{}"><bdi>{}</bdi></li>').format(i + 1, sentence)
            for i, sentence in enumerate(result.sentences[:_DRAWN])
        ]
    )
    cut = f" The first {_DRAWN} of {count} sentences." if count > _DRAWN else ""
    return Markup(
        '<div class="lab-squares"><div><h4>Cosine of each pair.{}</h4>{}</div>'
        "<div><h4>Mean taken away.{}</h4>{}</div></div><ol>{}</ol>"
    ).format(
        cut,
        _cells(result.raw, f"Cosine of each pair, {result.model_id}"),
        cut,
        _cells(result.centred, f"Mean taken away, {result.model_id}"),
        names,
    )


def _cells(matrix: Floats, name: str) -> Markup:
    shown = matrix[:_DRAWN, :_DRAWN]
    numbers = range(1, len(shown) + 1)
    head = join([Markup('<th scope="col">{}</th>').format(number) for number in numbers])
    rows = [
        Markup('<tr><th scope="row">{}</th>{}</tr>').format(
            number, join([_cell(float(value), is_written=len(shown) <= _WRITTEN) for value in row])
        )
        for number, row in zip(numbers, shown, strict=True)
    ]
    return Markup(
        '<div class="lab-scroll" tabindex="0" role="region" aria-label="{}">'
        '<table class="lab-square"><thead><tr><td></td>{}</tr></thead><tbody>{}</tbody></table>'
        "</div>"
    ).format(name, head, join(rows))


def _cell(value: float, *, is_written: bool) -> Markup:
    return Markup('<td class="{}" style="--strength:{:.3f}" title="{}">{}</td>').format(
        "lab-below" if value < 0 else "", abs(value), cosine(value),
        cosine(value) if is_written else EMPTY,
    )  # fmt: skip


def table(result: SentenceVectorsResult, beside: Beside = None) -> list[list[str]]:
    """List what each model found, then its pairs, the most alike first."""
    results = [result] if beside is None or isinstance(beside, str) else [result, beside]
    return [row for one in results for row in _rows(one)]


def _rows(result: SentenceVectorsResult) -> list[list[str]]:
    found = [
        [result.model_id, result.query, result.sentences[h.sentence], *_both(h.raw, h.centred)]
        for h in result.hits
    ]
    pairs = [
        (i, j) for i in range(len(result.sentences)) for j in range(i + 1, len(result.sentences))
    ]
    pairs.sort(key=lambda pair: -float(result.raw[pair]))
    alike = [
        [
            result.model_id,
            result.sentences[i],
            result.sentences[j],
            *_both(float(result.raw[i, j]), float(result.centred[i, j])),
        ]
        for i, j in pairs[:_ROWS]
    ]
    return found + alike


def _both(raw: float, centred: float) -> tuple[str, str]:
    return cosine(raw), cosine(centred)


def download(result: SentenceVectorsResult, beside: Beside = None) -> Markup:
    """Offer the table as a CSV file."""
    return csv_link("sentences.csv", HEADERS, table(result, beside))


def numbers(result: SentenceVectorsResult) -> dict[str, Any]:
    """Give programs what the page shows of one model."""
    return {
        "model_id": result.model_id,
        "pooling": result.pooling,
        "sentences": list(result.sentences),
        "query": result.query,
        "hits": [asdict(hit) for hit in result.hits],
        "cosines": result.raw.round(6).tolist(),
        "centred_cosines": result.centred.round(6).tolist(),
        "random": asdict(result.random_raw),
        "random_centred": asdict(result.random_centred),
        "notices": list(result.notices),
    }
