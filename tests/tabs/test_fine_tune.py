from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from components.models.families import Task
from components.models.manager import ModelManager
from components.models.own import own_id
from components.models.shelf import Shelf
from components.tabs import training_stream
from components.tabs.fine_tune import NEW, example_set
from components.tabs.trainings import Asked, Packs, Trained, Training
from components.tasks import sentiment
from components.training.line import Line
from tests.loops import finish
from tests.pages import endpoint_of, handler_of

LINES = "\n".join(
    f"{label}; the {thing} number {i} was {word}"
    for i in range(6)
    for thing in ("soup", "sea")
    for label, word in (("warm", "warm and fresh"), ("cold", "cold and slow"))
)
CHOSEN = (LINES, None, "the bread was warm", "bert-mini", "whole model", 2, "")


@pytest.fixture(scope="module")
def demo(models: ModelManager) -> gr.Blocks:
    import app

    return app.create_app(models)


class Page:
    """A stream with a screen that keeps what it was given, by the names of its parts."""

    def __init__(self, models: ModelManager) -> None:
        names = training_stream.Screen.__dataclass_fields__
        self.line, self.shelf = Line(), Shelf[Trained]()
        screen = training_stream.Screen(**{name: name for name in names})  # type: ignore[arg-type]
        self.stream = training_stream.Stream(models, self.line, self.shelf, screen)
        self.drawn: list[dict[str, Any]] = []

    async def train(self, *chosen: Any, seen: Callable[[dict[str, Any]], None] = print) -> None:
        async for drawn in self.stream.train(*(chosen or CHOSEN)):
            self.drawn.append(drawn)
            seen(drawn)

    def findings(self) -> list[str]:
        return [str(drawn["finding"]) for drawn in self.drawn if "finding" in drawn]


def test_a_training_is_watched_and_its_model_answers_and_can_be_taken_along(
    models: ModelManager, tmp_path: Path
) -> None:
    page = Page(models)
    finish(page.train())
    assert "held-out lines are right" in page.findings()[-1]
    last = page.drawn[-2]
    trained = page.shelf.get(last["token"])
    assert trained.classifier.labels == ("cold", "warm")
    assert len(last["table"]) == 24
    assert last["passes"][-1][0] == "2"
    packs = Packs()
    file = packs.file(last["token"], trained)
    assert file.stat().st_size > 1000
    assert packs.file(last["token"], trained) == file
    packs.remove(last["token"])
    assert not file.exists()


def test_one_trains_at_a_time_and_who_waits_knows_their_place_and_may_leave(
    models: ModelManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_stream, "LOOKS", 0.01)
    page = Page(models)
    before = page.line.join()

    def leave(drawn: dict[str, Any]) -> None:
        if "in line" in str(drawn.get("finding")):
            page.line.stop(page.drawn[0]["ticket"])

    finish(page.train(seen=leave))
    assert "You are next in line" in page.findings()[0]
    assert "You left the line" in page.findings()[-1]
    assert page.line.place(before) == 0
    assert len(page.shelf) == 0


def test_a_stop_keeps_the_best_so_far_and_the_line_moves_on(models: ModelManager) -> None:
    page = Page(models)

    def stop(drawn: dict[str, Any]) -> None:
        if "Reading the lines" in str(drawn.get("finding")):
            page.line.stop(page.drawn[0]["ticket"])

    finish(page.train(*CHOSEN[:5], 20, "", seen=stop))
    assert "You stopped it" in page.findings()[-1]
    assert page.line.place(page.line.join()) == 0


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (0, "", "is empty"),
        (0, "a; b\n" * 3, "labelled lines are left"),
        (2, "x" * 500, "too long"),
        (3, "bert-base-uncased", "cannot be trained here"),
        (4, "tail", "cannot be trained"),
        (6, "quick", "is no learning rate"),
    ],
)
def test_what_cannot_be_is_refused_before_anybody_waits(
    models: ModelManager, place: int, value: str, words: str
) -> None:
    page = Page(models)
    chosen = list(CHOSEN)
    chosen[place] = value
    finish(page.train(*chosen))
    assert words in page.findings()[0]
    assert "lab-refused" in page.findings()[0]
    assert not any(drawn.get("ticket") for drawn in page.drawn)


def test_a_bug_is_said_in_one_sentence_and_the_line_moves_on(
    models: ModelManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Page(models)
    monkeypatch.setattr(Training, "run", lambda _: iter([1 / 0]))
    finish(page.train())
    assert "not your input" in page.findings()[-1]
    assert page.line.place(page.line.join()) == 0


def test_a_training_leaves_the_weights_that_all_share_as_they_were(models: ModelManager) -> None:
    encoder = models.get("bert-mini", Task.ENCODER)
    before = {k: v.clone() for k, v in encoder._resident.network.state_dict().items()}
    finish(Page(models).train(*CHOSEN[:6], "1e-2"))
    for name, tensor in encoder._resident.network.state_dict().items():
        assert tensor.equal(before[name]), name


def test_head_only_leaves_the_vectors_where_they_were(models: ModelManager) -> None:
    training = Training(models, Asked.read(*_read("head only")))
    list(training.run())
    assert training.trained is not None
    result = training.trained.result
    assert abs(result.places_before - result.places_after).max() < 1e-4
    assert abs(result.before - result.after).max() > 0


def _read(part: str) -> tuple[Any, ...]:
    lines, upload, text, model_id, _, epochs, rate = CHOSEN
    return model_id, lines, upload, text, part, epochs, rate


def test_programs_get_the_figures_beside_their_comparisons(demo: gr.Blocks) -> None:
    fine_tune = endpoint_of(demo, "fine_tune")
    answer = fine_tune(LINES, "the bread was warm", epochs=2)
    assert answer["labels"] == ["cold", "warm"]
    assert answer["held_out_lines"] == 6
    assert answer["right_with_commonest_label"] == 3
    assert sum(map(sum, answer["confusion"])) == 6
    assert sum(answer["scores"].values()) == pytest.approx(1)
    assert [one["epoch"] for one in answer["passes"]] == [0.0, 1.0, 2.0]
    for wrong in ({"epochs": 99}, {"train": "tail"}, {"learning_rate": "9"}, {"model": "a/b"}):
        with pytest.raises(gr.Error):
            fine_tune(LINES, **wrong)
    with pytest.raises(gr.Error, match="labelled lines"):
        fine_tune("")


def test_a_model_that_is_gone_is_said_to_be(demo: gr.Blocks) -> None:
    follows = [f for f in demo.fns.values() if f.concurrency_id == "model"]
    ask = next(f for f in follows if "fine_tune-token" in {i.elem_id for i in f.inputs})
    assert "Nothing was trained" in ask.fn(gr.Progress(), "", "x")[0]
    assert "train it again" in ask.fn(gr.Progress(), "guess", "x")[0]


@pytest.fixture
def own(models: ModelManager) -> str:
    """Train a classifier, and give the id by which its visitor asks it."""
    page = Page(models)
    finish(page.train())
    return own_id(models.own.keep(page.shelf.get(page.drawn[-2]["token"])))


def test_the_trained_model_is_asked_in_sentiment_and_compare_like_any_other(
    demo: gr.Blocks, models: ModelManager, own: str
) -> None:
    texts = "the bread was warm\nthe sea was cold"
    asked = endpoint_of(demo, "sentiment")(texts, own)
    assert asked["model_id"] == "bert-mini, trained by you"
    assert asked["labels"] == ("cold", "warm")
    trained = models.own.get(own.split("/")[1])
    direct = sentiment.predict(trained.answering(), texts.splitlines())
    for given, wanted in zip(asked["texts"], direct.texts, strict=True):
        assert given["scores"] == pytest.approx(wanted.scores, abs=1e-5)
    chosen = {"task": Task.SENTIMENT.value, "models": ["bert-mini", own]}
    compared = endpoint_of(demo, "compare")("the bread was warm", **chosen)
    names = [entry["model_id"] for entry in compared["entries"]]
    assert names == ["bert-mini", "bert-mini, trained by you"]
    assert {c["text"] for c in compared["entries"][1]["answers"][0]} == {"cold", "warm"}


def test_nobody_else_and_nothing_else_asks_the_trained_model(demo: gr.Blocks, own: str) -> None:
    for guess in (own[:-1], "yours/x", "yours/" + "0" * 36):
        with pytest.raises(gr.Error, match=r"gone.*train it again"):
            endpoint_of(demo, "sentiment")("x", guess)
    for tab in ("fill_mask", "attention", "embeddings"):
        with pytest.raises(gr.Error, match="one head, for your labels"):
            endpoint_of(demo, tab)("the [MASK] was warm", model=own)


def test_an_example_takes_the_place_of_a_file(demo: gr.Blocks) -> None:
    row = [example_set("spam"), "a mail"]
    assert handler_of(demo, "fine_tune-examples")(row) == (row[0], "a mail", None)


@pytest.mark.browser
def test_lines_are_trained_on_and_the_model_is_used(open_page: Callable[..., Any]) -> None:
    page = open_page("Fine-tune")
    page.locator("#fine_tune-before").get_by_text("not an answer").wait_for()
    page.locator("#fine_tune-part").get_by_label("Head only").check()
    page.locator("#fine_tune-epochs input[type=number]").fill("1")
    page.locator("#fine_tune-epochs input[type=number]").press("Enter")
    page.get_by_role("button", name="Train", exact=True).click()
    page.locator("#fine_tune-results").get_by_text("Which labels").wait_for(timeout=150_000)
    page.get_by_role("button", name="Ask it").click()
    page.locator("#fine_tune-answers .lab-card").first.wait_for()
    page.get_by_role("button", name="Use it in Sentiment").click()
    page.locator("#sentiment-finding").get_by_text("trained by you").wait_for()
    assert page.locator("#sentiment-text textarea").input_value() == NEW
    page.get_by_role("tab", name="Fine-tune", exact=True).click()
    page.get_by_role("button", name="Compare it with others").click()
    page.locator("#compare-cards").get_by_text("trained by you").first.wait_for()
    page.get_by_role("tab", name="Fine-tune", exact=True).click()
    page.get_by_role("button", name="Pack it as a checkpoint").click()
    with page.expect_download() as download:
        page.locator("#fine_tune-download").click()
    assert download.value.suggested_filename == "classifier.zip"
