"""The fine-tuning tab: an untrained head, a training to watch, and a classifier to use."""

from __future__ import annotations

import time
from typing import Any, cast

import gradio as gr

from components.config import ASSETS, MAX_EPOCHS, MAX_EXAMPLE, MAX_EXAMPLES, MAX_PASSAGE
from components.models.catalog import DEFAULT_MODEL, SHIPPED
from components.models.families import Task
from components.models.own import own_id
from components.models.shelf import MINUTES, Shelf
from components.tabs.base import Page, Tab, follow, wire
from components.tabs.controls import (
    columns,
    examples,
    finding_view,
    numbers_view,
    text_box,
)
from components.tabs.training_stream import LOOKS, Screen, Stream
from components.tabs.trainings import Asked, Packs, Trained, Training, data_of, untrained
from components.tabs.ways import Carried
from components.tasks import sentiment, texts
from components.tasks.fine_tune import check_sentence
from components.training.line import Line
from components.training.progress import Part, Plan
from components.views import fine_tune as views
from components.views import fine_tune_tables as tables
from components.views import markup
from components.views import sentiment as sentiment_views

SETS = {  # file in assets/examples: name, a sentence that is none of its lines
    "course_feedback": ("Course feedback: praise or complaint", "I would do it again at once."),
    "questions_by_topic": ("Questions: history, science or sport", "Who invented the telescope?"),
    "spam": ("Mails: spam or ham", "Your invoice for the piano lessons is attached."),
}
RATES = [("suited to what is trained", ""), *((r, r) for r in (
    "1e-5", "5e-5", "1e-4", "2e-4", "5e-4", "1e-3", "1e-2", "1e-1"))]  # fmt: skip
NEW = "I learned a lot.\nNothing worked."
GUIDE = markup.guide(
    "Before training: the same sentence under three heads that nobody trained. Their numbers come "
    "from chance alone. After it: what the held-out lines, which were never trained on, say.",
    "Change half of the labels to the wrong one and train again: which curve still looks good? "
    "Or train the head only with a rate of 1e-1.",
)
_WAYS = (("sentiment", "Use it in Sentiment"), ("compare", "Compare it with others"))
_WAITING = 40  # visitors who can stand in the line
_PROGRAMS = {"concurrency_id": "fine_tune_programs", "concurrency_limit": 1}


def example_set(name: str) -> str:
    """Read a bundled set of labelled lines."""
    return (ASSETS / "examples" / f"{name}.txt").read_text(encoding="utf-8").strip()


def build(page: Page) -> None:
    """Lay out the tab, and wire it."""
    packs = Packs()
    gr.set_static_paths([packs.folder])  # served where they lie: no second copy of them is made
    line = Line(most=_WAITING)
    shelf = cast(Shelf[Trained], page.models.own)  # nothing else is kept there
    shelf.when_removed(packs.remove)
    first = next(iter(SETS))
    with columns() as (entry, panel, options):
        with entry:
            lines = text_box(
                TAB.id,
                "lines",
                example_set(first),
                "Labelled lines",
                lines=9,
                max_lines=14,
                max_length=MAX_PASSAGE,
                info=f"“label; text” or “text, label”, one a line: 20 to {MAX_EXAMPLES} lines of "
                f"up to {MAX_EXAMPLE} characters.",
            )
            own = text_box(
                TAB.id, "own", SETS[first][1], "Your own sentence", max_length=MAX_EXAMPLE
            )
            with gr.Row():
                submit = gr.Button("Train", variant="primary", elem_id=f"{TAB.id}-run")
                stop = gr.Button("Stop", interactive=False, elem_id=f"{TAB.id}-stop")
            look = gr.Button("Read the lines again", size="sm", elem_id=f"{TAB.id}-look")
        with options:
            model_id = gr.Dropdown(
                [(card.about, card.id) for card in SHIPPED],
                value=DEFAULT_MODEL,
                label="Begin with",
                interactive=True,
                elem_id=f"{TAB.id}-model",
            )
            part = gr.Radio(
                [(str(p).capitalize(), str(p)) for p in Part],
                value=str(Part.WHOLE),
                label="Train",
                interactive=True,
                elem_id=f"{TAB.id}-part",
            )
            epochs = gr.Slider(
                1, MAX_EPOCHS, value=Plan().epochs, step=1, label="Epochs: passes over the lines",
                elem_id=f"{TAB.id}-epochs",
            )  # fmt: skip
            rate = gr.Dropdown(
                RATES, value="", label="Learning rate", interactive=True, elem_id=f"{TAB.id}-rate"
            )
            upload = gr.File(
                label="Or a CSV file of labelled lines, read instead",
                type="binary",
                height=150,
                elem_id=f"{TAB.id}-file",
            )
            rows = [[example_set(name), text] for name, (_, text) in SETS.items()]
            ready = examples(TAB.id, [lines, own], rows, [title for title, _ in SETS.values()])
        with panel:
            finding = finding_view(TAB.id)
            before = gr.HTML(elem_id=f"{TAB.id}-before")
            with gr.Column(visible=False, elem_id=f"{TAB.id}-live") as live:
                curves = gr.Plot(show_label=False, elem_id=f"{TAB.id}-curves")
            with gr.Column(visible=False, elem_id=f"{TAB.id}-done") as done:
                came = gr.HTML(elem_id=f"{TAB.id}-results")
                gr.HTML(views.heading("The [CLS] vectors of the lines, before and after"))
                flat = gr.Plot(show_label=False, elem_id=f"{TAB.id}-map")
                map_note = gr.HTML()
                gr.HTML(views.heading("Ask the model that you trained"))
                new = text_box(
                    TAB.id, "new", NEW, "New sentences, one a line", lines=2, max_lines=8
                )
                ask = gr.Button("Ask it", elem_id=f"{TAB.id}-ask")
                answers = gr.HTML(elem_id=f"{TAB.id}-answers")
                carry = gr.Row(elem_classes="lab-ways")
                make = gr.Button("Pack it as a checkpoint", elem_id=f"{TAB.id}-pack")
                packed = gr.HTML(elem_id=f"{TAB.id}-packed")
                file = gr.DownloadButton(
                    "Download the checkpoint", visible=False, elem_id=f"{TAB.id}-download"
                )
                with gr.Accordion("All numbers", open=False):
                    passes = numbers_view(TAB.id, tables.PASS_HEADERS, name="passes")
                    table = numbers_view(TAB.id, tables.LINE_HEADERS, max_chars=80)
            gr.HTML(GUIDE)
            token = gr.Textbox("", visible=False, elem_id=f"{TAB.id}-token")
            ticket = gr.Textbox("", visible=False, elem_id=f"{TAB.id}-ticket")

    def run(lines: str, upload: bytes | None, own: str, model_id: str) -> tuple[Any, ...]:
        result = untrained(page.models, model_id, data_of(lines, upload), check_sentence(own))
        return views.untrained_finding(result), views.untrained(result)

    def endpoint(
        lines: str,
        sentence: str = "",
        model: str = DEFAULT_MODEL,
        train: str = Part.WHOLE.value,
        epochs: int = Plan().epochs,
        learning_rate: str = "",
    ) -> dict[str, Any]:
        """Train a classifier on labelled lines, and test it on those that were held out.

        One training runs at a time, for two minutes at most; others wait. Nothing is kept.

        Args:
            lines: one example a line, such as "positive; I learned a lot": 20 to 500 lines of up
                to 400 characters, 2 to 10 labels with 4 lines each at least
            sentence: judged by the trained model, up to 400 characters; may be empty
            model: a bundled model
            train: "whole model" or "head only"
            epochs: passes over the lines, 1 to 20
            learning_rate: a number such as 2e-4; empty: the one that suits
        """
        asked = Asked.read(model, lines, None, sentence, train, epochs, learning_rate)
        taken = line.join()
        try:
            while line.place(taken):
                time.sleep(LOOKS)
            training = Training(page.models, asked, lambda: line.is_stopped(taken))
            for _ in training.run():
                pass
        finally:
            line.leave(taken)
        return training.plain()

    def answer(token: str, new: str) -> Any:
        trained = shelf.get(token)
        read = texts.from_lines(new)
        model = trained.classifier.answering()
        result = sentiment.predict(model, read.texts, notices=read.notices)
        return markup.join([sentiment_views.finding(result), sentiment_views.panels(result)])

    def pack(token: str) -> tuple[Any, ...]:
        trained = shelf.get(token)
        path = packs.file(token, trained)
        note = markup.hint(
            "It is ready: unpack it, and AutoModelForSequenceClassification.from_pretrained("
            f"“classifier”) loads it. It is kept here for {MINUTES} minutes."
        )
        return note, gr.DownloadButton(value=str(path), visible=True)

    with carry:
        _lay_out_ways(page, token, new)
    asked_for = [lines, upload, own, model_id, part, epochs, rate]
    screen = Screen(
        finding=finding,
        before=before,
        live=live,
        curves=curves,
        done=done,
        came=came,
        flat=flat,
        map_note=map_note,
        passes=passes,
        table=table,
        token=token,
        ticket=ticket,
        stop=stop,
        file=file,
        answers=answers,
        packed=packed,
    )
    submit.click(
        Stream(page.models, line, shelf, screen).train,
        asked_for,
        screen.components(),
        concurrency_id="fine_tune",
        concurrency_limit=_WAITING + 1,  # those who wait do so in the line, and hold no thread
        trigger_mode="once",
        show_progress="hidden",
        api_visibility="private",
    )
    quick: dict[str, Any] = {"queue": False, "api_visibility": "private"}
    stop.click(line.stop, ticket, None, **quick)
    chosen = ready.rows.click(
        lambda row: (row[0], row[1], None), ready.rows, [lines, own, upload], **quick
    )
    asks = gr.on([ask.click], lambda: None, None, None, **quick)
    follow(page, [asks], answer, [token, new], [answers])
    packing = make.click(lambda: None, None, None, **quick)
    follow(page, [packing], pack, [token], [packed, file])
    wire(
        page,
        TAB,
        [look.click, own.submit, model_id.change, upload.upload, upload.clear],
        run,
        [lines, upload, own, model_id],
        [finding, before],
        endpoint=endpoint,
        after=[chosen],
        endpoint_runs=_PROGRAMS,
    )


def _lay_out_ways(page: Page, token: gr.Textbox, new: gr.Textbox) -> None:
    """Lead on to where the trained model can be asked like any other."""

    def read(token: str, new: str) -> Carried:
        return Carried(Task.SENTIMENT.value, own_id(token), (new, ""))

    for goal, label in _WAYS:
        button = gr.Button(label, size="sm", min_width=120, elem_id=f"{TAB.id}-to-{goal}")
        page.ways.lead(goal, button.click, [token, new], read)


TAB = Tab(id="fine_tune", title="Fine-tune", build=build)
