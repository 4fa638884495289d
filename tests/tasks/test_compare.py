from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from components.errors import HeadError, InputError, UnknownModelError
from components.models.catalog import CATALOG, SHIPPED
from components.models.evaluation import FIGURES, Evaluation
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.models.manager import ModelManager
from components.tasks import compare, fill_mask, question_answering, sentiment
from components.tasks.compare import Choice, Entry, Given, Refusal

SENTENCE = Given("the river [MASK] past the mill")
BLANKS = Task.FILL_MASK.value
Load = Callable[..., LoadedModel]


@pytest.fixture
def anything(load: Load) -> compare.Get:
    """A tiny network of any family, by the family's name; "nosuch" is not to be had."""

    def get(model_id: str, task: Task) -> LoadedModel:
        if model_id == "nosuch":
            raise UnknownModelError("There is no public model nosuch on the Hub.")
        return load(model_id, task)

    return get


def test_every_model_says_what_it_says_alone(load: Load, anything: compare.Get) -> None:
    families = ["roberta", "bert", "albert", "distilbert"]
    result = compare.predict(anything, families, BLANKS, SENTENCE)
    assert [e.model_type for e in result.answered] == families
    for family, entry in zip(families, result.answered, strict=True):
        alone = fill_mask.predict(load(family, Task.FILL_MASK), SENTENCE.text, top_k=3)
        best = tuple(Choice(c.word, c.score) for c in alone.blanks[0].candidates)
        assert entry.answers == (best,)
        assert entry.notices == alone.notices


def test_sentiment_says_what_each_model_says_alone(load: Load, anything: compare.Get) -> None:
    given = Given("i love this tool")
    families = ["bert", "electra"]
    result = compare.predict(anything, families, Task.SENTIMENT.value, given)
    for family, entry in zip(families, result.answered, strict=True):
        model = load(family, Task.SENTIMENT)
        alone = sentiment.predict(model, [given.text])
        shown = {choice.text: choice.score for choice in entry.answers[0]}
        assert shown == dict(zip(model.labels, alone.texts[0].scores, strict=True))
        assert entry.answer == (model.labels[alone.texts[0].top],)


def test_a_model_that_gives_a_number_is_refused_on_its_card(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:  # H24
    model = load("bert", Task.SENTIMENT)
    config = model._resident.network.config
    monkeypatch.setattr(config, "problem_type", "regression", raising=False)
    result = compare.predict(lambda *_: model, ["bert"], Task.SENTIMENT.value, Given("so so"))
    assert "gives a number" in result.entries[0].reason  # type: ignore[union-attr]


def test_question_answering_says_what_each_model_says_alone(
    load: Load, anything: compare.Get
) -> None:  # H28
    given = Given("the boats ran past the mill", question="what ran")
    asked, families = Task.QUESTION_ANSWERING, ["bert", "roberta", "albert"]
    result = compare.predict(anything, families, asked.value, given)
    for family, entry in zip(families, result.answered, strict=True):
        alone = question_answering.predict(load(family, asked), given.question, given.text)
        best = alone.answers[0].text if alone.has_answer else compare.NO_ANSWER
        assert entry.answer == (best,)
        scores = [choice.score for choice in entry.answers[0]]
        assert scores == sorted(scores, reverse=True)
        assert entry.tokens == sum(window.tokens for window in alone.windows)


def test_a_question_without_text_is_refused(anything: compare.Get) -> None:  # H28
    for given in (Given("a passage", question=" "), Given(" ", question="who")):
        with pytest.raises(InputError, match="empty"):
            compare.predict(anything, ["bert"], Task.QUESTION_ANSWERING.value, given)


def test_each_model_gets_its_own_mask(anything: compare.Get) -> None:  # H02
    typed = compare.predict(anything, ["roberta", "bert"], BLANKS, SENTENCE).answered
    own = compare.predict(
        anything, ["roberta"], BLANKS, Given("the river <mask> past the mill")
    ).answered
    assert typed[0].answers == own[0].answers
    assert "<mask>" in typed[0].notices[0]
    assert typed[1].notices == ()


def test_the_figures_are_those_of_the_model(load: Load, anything: compare.Get) -> None:
    model = load("bert", Task.FILL_MASK)
    entry = compare.predict(anything, ["bert"], BLANKS, SENTENCE).answered[0]
    network = model._resident.network
    assert entry.parameters == sum(p.numel() for p in network.parameters())
    assert entry.weight_bytes == model.weight_bytes >= 4 * entry.parameters
    assert entry.tokens == len(model.encode(SENTENCE.text, literal=False))
    assert entry.disk_bytes > 4 * entry.parameters


def test_size_on_disk_is_that_of_the_file_with_the_weights(
    models: ModelManager,
) -> None:
    folder = models.settings.models_dir / "bert-mini"
    expected = (folder / "model.safetensors").stat().st_size
    assert models.get("bert-mini", Task.FILL_MASK).disk_bytes == expected


def test_size_on_disk_of_weights_in_several_files_is_their_sum(tmp_path: Path) -> None:
    from components.models import hub

    (tmp_path / "config.json").write_text("{}")
    for shard in (1, 2):
        (tmp_path / f"model-0000{shard}-of-00002.safetensors").write_bytes(b"x" * 100 * shard)
    assert hub.disk_bytes(tmp_path) == 300
    assert hub.disk_bytes(tmp_path / "none") == 0


def test_time_is_measured_and_its_range_holds_the_median(anything: compare.Get) -> None:
    latency = compare.predict(anything, ["bert"], BLANKS, SENTENCE).answered[0].latency
    assert 0 < latency.fastest <= latency.median <= latency.slowest
    assert 1 <= latency.runs <= 5  # fewer where the machine is busy


def test_what_is_timed_is_what_the_task_ran(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Sequence[object], dict[str, object]]] = []
    plain = LoadedModel.run

    def run(self: LoadedModel, encodings: Sequence[object], **options: object) -> object:
        asked.append((encodings, options))
        return plain(self, encodings, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(LoadedModel, "run", run)
    compare.predict(lambda _, task: load("bert", task), ["bert"], BLANKS, SENTENCE)
    assert len(asked) >= 6
    (encodings, options), *again = asked
    assert options["positions"]
    wanted = {"positions": options["positions"], "alone": True}
    assert [one for one in again if one != (tuple(encodings), wanted)] == []


@pytest.mark.parametrize(
    ("ticks", "expected"),
    [
        ([4, 4, 5, 4, 4], (4, 4, 5)),  # steady at once
        ([36, 20, 4, 4, 4, 4, 5], (4, 4, 5)),  # disturbed at first
        ([4, 36] * 12 + [4], (4, 4, 36)),  # never steady: given up after 25 passes
    ],
)
def test_a_disturbed_pass_is_measured_again(
    monkeypatch: pytest.MonkeyPatch, ticks: list[int], expected: tuple[int, int, int]
) -> None:
    second = 1_024  # ticks: every sum is exact
    readings = np.cumsum([0, *(part for passed in ticks for part in (passed, 0))]) / second
    clock = iter(readings.tolist())
    monkeypatch.setattr(compare.time, "perf_counter", lambda: next(clock))
    median, fastest, slowest = (value / second for value in expected)
    assert compare._timed(lambda: None) == compare.Latency(median, fastest, slowest, 5)
    assert len(list(clock)) == 1  # every pass was wanted, and none after the last


def test_a_slow_model_is_not_timed_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 1_000, 7))
    monkeypatch.setattr(compare.time, "perf_counter", lambda: next(clock))
    assert compare._timed(lambda: None) == compare.Latency(7, 7, 7, 1)


def test_a_model_that_cannot_answer_leaves_the_others_standing(
    anything: compare.Get,
) -> None:
    result = compare.predict(anything, ["nosuch", "bert", "electra"], BLANKS, SENTENCE)
    assert [type(e) for e in result.entries] == [Refusal, Entry, Entry]
    assert result.entries[0] == Refusal("nosuch", "There is no public model nosuch on the Hub.")
    assert len(result.answered) == 2


def test_an_id_that_is_none_is_refused_on_its_card(models: ModelManager) -> None:  # H16
    result = compare.predict(models.get, ["/etc", "..", "bert-mini"], BLANKS, SENTENCE)
    assert [type(entry) for entry in result.entries] == [Refusal, Refusal, Entry]
    assert "is no model id" in result.entries[0].reason  # type: ignore[union-attr]


def test_a_head_that_was_never_trained_is_refused_on_its_card(  # H08, H09
    load: Load, anything: compare.Get
) -> None:
    def get(model_id: str, task: Task) -> LoadedModel:
        if model_id == "deberta-v2":
            raise HeadError("deberta-v2 has no trained head for fill-mask")
        return anything(model_id, task)

    result = compare.predict(get, ["bert", "deberta-v2"], BLANKS, SENTENCE)
    assert isinstance(result.entries[1], Refusal)


def test_a_text_that_no_model_can_use_is_refused_once_with_its_correction(
    anything: compare.Get,
) -> None:  # H01
    with pytest.raises(InputError, match="no blank") as error:
        compare.predict(anything, ["nosuch", "bert", "roberta"], BLANKS, Given("the river ran"))
    assert error.value.suggestion == "the river [MASK]"


def test_when_no_model_can_be_had_each_is_refused(anything: compare.Get) -> None:
    result = compare.predict(anything, ["nosuch"], BLANKS, SENTENCE)
    assert result.answered == result.camps == ()
    assert result.entries == (Refusal("nosuch", "There is no public model nosuch on the Hub."),)


class Panic(BaseException):
    """As a panic of the tokenizers: no Exception."""


@pytest.mark.parametrize("bug", [RuntimeError("secret"), MemoryError(), Panic()])
def test_a_bug_in_one_model_is_logged_and_leaves_the_others_standing(
    anything: compare.Get, caplog: pytest.LogCaptureFixture, bug: BaseException
) -> None:
    def get(model_id: str, task: Task) -> LoadedModel:
        if model_id == "albert":
            raise bug
        return anything(model_id, task)

    result = compare.predict(get, ["bert", "albert", "roberta"], BLANKS, SENTENCE)
    assert [type(e) for e in result.entries] == [Entry, Refusal, Entry]
    assert "not your input" in result.entries[1].reason  # type: ignore[union-attr]
    assert "secret" not in result.entries[1].reason  # type: ignore[union-attr]
    assert any(record.exc_info and "albert" in record.message for record in caplog.records)


def test_whoever_stops_the_server_stops_a_comparison(anything: compare.Get) -> None:
    def get(model_id: str, task: Task) -> LoadedModel:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare.predict(get, ["bert", "roberta"], BLANKS, SENTENCE)


@pytest.mark.parametrize("task", compare.RUNNERS)
def test_every_family_that_can_answers_side_by_side(models: ModelManager, task: Task) -> None:
    ids = [card.id for card in CATALOG if task in card.tasks]
    given = Given("the river [MASK] past the mill", question="what ran")
    result = compare.predict(models.get, ids, task.value, given)
    able = {card.model_type for card in CATALOG if task in card.tasks}
    assert {entry.model_type for entry in result.answered} == able
    assert [entry.model_id for entry in result.answered] == ids
    assert len(ids) < compare.MAX_MODELS  # there is room for some of the Hub


def test_what_ships_and_has_the_head_is_compared() -> None:
    for task in compare.RUNNERS:
        assert compare.bundled(task) == [card.id for card in SHIPPED if task in card.tasks]
    assert compare.bundled("nonsense") == []


def test_accuracy_is_one_figure_for_all_and_none_where_it_was_not_measured(
    anything: compare.Get,
) -> None:
    models = {"bert": {"all_masked_wikipedia": 0.4}, "roberta": {"whole_words": 0.3}}
    table = Evaluation({"whole_words": "Of a list."}, models)
    both = compare.predict(anything, ["bert", "roberta"], BLANKS, SENTENCE, measured=table)
    assert both.figure == table.figure("whole_words")
    assert [entry.accuracy for entry in both.answered] == [None, 0.3]
    one = compare.predict(anything, ["bert"], BLANKS, SENTENCE, measured=table)
    assert one.figure == table.figure("all_masked_wikipedia")
    assert one.answered[0].accuracy == 0.4
    none = compare.predict(anything, ["albert"], BLANKS, SENTENCE, measured=table)
    assert (none.figure, none.answered[0].accuracy) == (None, None)


def test_every_figure_that_models_are_compared_by_is_known() -> None:
    for runner in compare.RUNNERS.values():
        assert runner.figures
        assert set(runner.figures) <= set(FIGURES)


@pytest.mark.parametrize("ids", [[], ["", "  "], [f"m{i}" for i in range(11)]])
def test_too_few_or_too_many_models_are_refused_before_any_is_loaded(ids: list[str]) -> None:
    def get(model_id: str, task: Task) -> LoadedModel:
        raise AssertionError

    with pytest.raises(InputError, match="chosen"):
        compare.predict(get, ids, BLANKS, SENTENCE)


def test_a_model_named_twice_runs_once(anything: compare.Get) -> None:
    result = compare.predict(anything, ["bert", " bert ", "bert"], BLANKS, SENTENCE)
    assert len(result.entries) == 1


@pytest.mark.parametrize("task", ["", "translation", "feature-extraction", "<b>"])
def test_a_task_that_cannot_be_compared_is_refused(anything: compare.Get, task: str) -> None:
    with pytest.raises(InputError, match="cannot be compared"):
        compare.predict(anything, ["bert"], task, SENTENCE)


@pytest.mark.parametrize("text", ["", "   ", "x" * 2_001, None, 7])
def test_a_text_that_is_none_or_too_long_is_refused(anything: compare.Get, text: object) -> None:
    with pytest.raises(InputError):
        compare.predict(anything, ["bert"], BLANKS, Given(text))  # type: ignore[arg-type]


def test_models_that_say_the_same_make_one_camp(anything: compare.Get) -> None:
    result = compare.predict(anything, ["bert", "roberta", "distilbert"], BLANKS, SENTENCE)
    assert sorted(e.model_id for camp in result.camps for e in camp) == sorted(
        e.model_id for e in result.answered
    )
    for camp in result.camps:
        assert len({tuple(text.casefold() for text in e.answer) for e in camp}) == 1
    assert len({e.answer for e in result.answered}) >= len(result.camps)


def test_it_is_told_which_model_runs(anything: compare.Get) -> None:
    told: list[tuple[str, float]] = []
    compare.predict(
        anything, ["bert", "roberta"], BLANKS, SENTENCE, tell=lambda *said: told.append(said)
    )
    assert told == [("bert: model 1 of 2", 0), ("roberta: model 2 of 2", 0.5)]


def test_loads_wait_while_a_model_is_timed_but_not_for_ever(models: ModelManager) -> None:
    from components.models.loading import LOAD_LOCK

    with models.undisturbed():
        assert LOAD_LOCK.locked()
    assert not LOAD_LOCK.locked()
    LOAD_LOCK.acquire()
    try:
        entered = threading.Event()

        def measure() -> None:
            with models.undisturbed(patience=0.01):
                entered.set()

        thread = threading.Thread(target=measure)
        thread.start()
        thread.join(5)
        assert entered.is_set()
        assert LOAD_LOCK.locked()  # whoever loads still does
    finally:
        LOAD_LOCK.release()
