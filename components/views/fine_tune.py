"""A fine-tuning: untrained heads, the curves while it trains, and what came of it."""

from __future__ import annotations

from markupsafe import Markup

from components.tasks.fine_tune import FineTuneResult, UntrainedResult, likely_range
from components.tasks.scores import softmax
from components.training.progress import Ending, Moment, Part, Plan
from components.views.markup import Bar, bars, join
from components.views.markup import finding as draw_finding
from components.views.wording import percent, shortened, signed

_QUOTED = 90  # characters of a line that are shown
_ORDINALS = {1: "next", 2: "second", 3: "third"}
_ENDINGS = {
    Ending.STOPPED: "You stopped it: the best state so far was kept.",
    Ending.TIME: "The time for one training was over: the best state so far was kept. Fewer or "
    "shorter lines, or fewer epochs, end in time.",
    Ending.DIVERGED: "The loss became infinite: the best state before that was kept. A lower "
    "learning rate helps.",
}


def untrained_finding(result: UntrainedResult) -> Markup:
    """State that an untrained head says nothing, by what several of them say."""
    names, data = result.data.names, result.data
    said = {names[int(row.argmax())] for row in result.logits}
    told = (
        f"{len(result.logits)} untrained heads, {len(said)} different answers"
        if len(said) > 1
        else f"{len(result.logits)} untrained heads all say “{said.pop()}”, by chance"
    )
    held = len(data.lines(held_out=True))
    return draw_finding(
        f"{told}: their logits mean nothing",
        model_id=result.model_id,
        notices=[
            f"{len(data.texts)} labelled lines, {len(names)} labels ({', '.join(names)}): "
            f"{len(data.texts) - held} to learn from, {held} held out. Press “Train”.",
            *result.notices,
        ],
    )


def untrained(result: UntrainedResult) -> Markup:
    """Draw the same sentence under each untrained head, its logits beside its probabilities."""
    cards = [
        Markup(
            '<article class="lab-card"><h4>Untrained head {}</h4>{}'
            '<p class="lab-notice">{}</p></article>'
        ).format(
            number,
            bars(
                [
                    Bar(name, float(score), remark=f"logit {signed(float(logit))}", tone="muted")
                    for name, logit, score in zip(
                        result.data.names, logits, softmax(logits), strict=True
                    )
                ]
            ),
            _luck(result, right),
        )
        for number, (logits, right) in enumerate(
            zip(result.logits, result.right, strict=True), start=1
        )
    ]
    return Markup(
        '<section class="lab-panel lab-untrained"><h3>Before training: not an answer</h3>'
        '<p class="lab-quote">{}</p><div class="lab-cards">{}</div></section>'
    ).format(result.text, join(cards))


def _luck(result: UntrainedResult, right: int) -> str:
    held = len(result.data.lines(held_out=True))
    told = f"Of the {held} held-out lines it gets {right} right, by luck"
    if len(result.data.names) == 2:
        return f"{told}: with its two labels swapped, which is as likely, {held - right}."
    return f"{told}."


def waiting(place: int) -> Markup:
    """Say how many are before the visitor in the line."""
    told = _ORDINALS.get(place, f"number {place}")
    return _busy(
        f"You are {told} in line",
        "One training runs at a time, first come, first served. It begins by itself; your lines "
        "stay here, and “Stop” leaves the line.",
        0.0,
    )


def loading(model_id: str) -> Markup:
    """Say what is done before the first step."""
    return _busy(f"Reading the lines with {model_id}", "Then the training begins.", 0.0)


def running(moment: Moment, plan: Plan) -> Markup:
    """Say how far it is, with a bar."""
    loss = "" if moment.loss is None else f", loss {moment.loss:.2f}"
    return _busy(
        f"Training: step {moment.step} of {moment.steps}, {moment.epoch:.1f} of {plan.epochs} "
        f"epochs{loss}",
        f"At most {plan.seconds:.0f} seconds. “Stop” keeps the best so far.",
        moment.step / moment.steps,
    )


def _busy(headline: str, line: str, done: float) -> Markup:
    return Markup(
        '<div class="lab-finding" role="status"><h3 class="lab-headline">{}</h3>'
        '<div class="lab-progress"><span style="width:{:.1f}%"></span></div>'
        '<p class="lab-notice">{}</p></div>'
    ).format(headline, 100 * done, line)


def finding(result: FineTuneResult, plan: Plan, ending: Ending, best_epoch: float) -> Markup:
    """State how many held-out lines are right now, beside the honest comparisons."""
    data = result.data
    held = len(data.lines(held_out=True))
    right = result.right(result.after)
    low, high = likely_range(right, held)
    chosen = (
        f"Of {plan.epochs} epochs the state after {best_epoch:.3g} was kept, because it did best "
        "on these held-out lines: that flatters the figure a little."
    )
    doubt = (
        f"{held} held-out lines are few: on others like them, anything from {100 * low:.0f} % to "
        f"{100 * high:.0f} % would be no surprise."
    )
    moved = (
        ["The head alone was trained: the encoder's vectors stayed where they were."]
        if plan.part is Part.HEAD
        else []
    )
    return draw_finding(
        f"{right} of {held} held-out lines are right; {verdict(result)}",
        model_id=result.model_id,
        notices=[*filter(None, [_ENDINGS.get(ending, "")]), doubt, chosen, *moved, *result.notices],
    )


def verdict(result: FineTuneResult) -> str:
    """Say in a few words whether the training was worth it."""
    right, majority = result.right(result.after), result.data.majority
    if right <= majority:
        return f"always saying “{result.data.names[result.data.commonest]}” gets {majority}"
    more = "as many" if result.frozen == right else "more" if result.frozen > right else "fewer"
    return f"the frozen vectors get {more} without it ({result.frozen})"


def results(result: FineTuneResult) -> Markup:
    """Draw the comparisons, the visitor's sentence before and after, the confusion, the doubts."""
    return join([_comparisons(result), _sentence(result), _confusion(result), _doubts(result)])


def _comparisons(result: FineTuneResult) -> Markup:
    data = result.data
    held = len(data.lines(held_out=True))
    commonest = data.names[data.commonest]
    rows = [
        ("trained here", result.right(result.after), ""),
        ("frozen vectors + regression", result.frozen, "muted"),
        (f"always “{shortened(commonest, 20)}”", data.majority, "muted"),
        ("untrained head", result.right(result.before), "muted"),
    ]
    drawn = [Bar(n, right / held, tone=tone, value=f"{right} of {held}") for n, right, tone in rows]
    return _section(
        "Held-out lines that are right",
        bars(drawn),
        "The fair comparisons: the label that most lines have, and a logistic regression on the "
        "miniature's [CLS] vectors as they were before.",
    )


def _sentence(result: FineTuneResult) -> Markup:
    if not result.text:
        return Markup("")
    cards = [
        Markup('<article class="lab-card"><h4>{}</h4>{}</article>').format(
            title,
            bars(
                [
                    Bar(name, float(score), tone=tone)
                    for name, score in zip(result.data.names, scores, strict=True)
                ]
            ),
        )
        for title, scores, tone in (
            ("Before: an untrained head, chance", result.text_before, "muted"),
            ("After", result.text_after, ""),
        )
    ]
    return _section(
        "Your sentence, before and after",
        Markup('<p class="lab-quote">{}</p><div class="lab-cards">{}</div>').format(
            result.text, join(cards)
        ),
    )


def _confusion(result: FineTuneResult) -> Markup:
    names, table = result.data.names, result.confusion()
    most = max(max(row) for row in table)
    head = join([Markup('<th scope="col">{}</th>').format(shortened(n, 16)) for n in names])
    body = join(
        [
            Markup('<tr><th scope="row">{}</th>{}</tr>').format(
                shortened(names[i], 16),
                join(
                    [
                        Markup('<td style="--strength:{:.2f}"{}>{}</td>').format(
                            count / most,
                            Markup(' class="lab-on-diagonal"') if i == j else "",
                            count,
                        )
                        for j, count in enumerate(row)
                    ]
                ),
            )
            for i, row in enumerate(table)
        ]
    )
    return _section(
        "Which labels are taken for which",
        Markup(
            '<div class="lab-confusion" tabindex="0" role="group" aria-label="Confusion table">'
            "<table><thead><tr><th>true ↓ given →</th>{}</tr></thead><tbody>{}</tbody></table>"
            "</div>"
        ).format(head, body),
        "Held-out lines only. What lies on the diagonal is right.",
    )


def _doubts(result: FineTuneResult) -> Markup:
    lines = result.doubtful()
    if not lines:
        return _section("Labels to look at", Markup("<p>The model doubts none of the labels.</p>"))
    names, data = result.data.names, result.data
    items = [
        Markup("<li>“{}” — labelled <b>{}</b>, the model says <b>{}</b> ({}){}</li>").format(
            shortened(data.texts[i], _QUOTED),
            names[data.labels[i]],
            names[int(result.after[i].argmax())],
            percent(float(result.after[i].max())),
            ", held out" if data.is_held_out[i] else "",
        )
        for i in lines
    ]
    return _section(
        "Labels to look at",
        Markup("<ul>{}</ul>").format(join(items)),
        "Lines where the model is surest that the label is another one. Either the model is wrong, "
        "or the label is: wrong labels among the lines teach it wrong things.",
    )


def _section(heading: str, content: Markup, note: str = "") -> Markup:
    return Markup('<section class="lab-panel"><h3>{}</h3>{}{}</section>').format(
        heading,
        content,
        Markup('<p class="lab-notice">{}</p>').format(note) if note else "",
    )


def heading(text: str) -> Markup:
    """Draw the heading of a picture that stands by itself."""
    return Markup('<h3 class="lab-map-heading">{}</h3>').format(text)


def map_note(result: FineTuneResult) -> Markup:
    """Say what the map of the vectors shows, and how much it leaves out."""
    return Markup(
        '<p class="lab-notice">Each mark is a line; hollow ones were held out. Both pictures are '
        "one map (PCA, fitted to both states together, the same scale): it keeps {} of the "
        "spread.</p>"
    ).format(percent(result.kept))
