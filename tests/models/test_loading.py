from __future__ import annotations

import gc
import pickle
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from components.config import Settings
from components.errors import CheckpointError, HeadError
from components.models import loading
from components.models.checkpoint import Checkpoint, read_checkpoint
from components.models.families import FAMILIES, Task
from components.models.loading import Placement, find_placement, load_resident
from tests.fakes import FAMILY_NAMES, HEADS, OWN_HEADS, load_folder
from tests.models.conftest import change_json

Copy = Callable[..., Path]
Checkpoints = Callable[[str, str], Path]

CPU = Placement("cpu", torch.float32)
ALSO_IN = {"sentence-order-prediction": "fill-mask"}  # ALBERT's two objectives share a class
HEAD_OF = {task: "base" if task is Task.ENCODER else task.value for task in Task}


# Heads


@pytest.mark.parametrize(
    ("family", "head"),
    [
        (family, head)
        for family in FAMILY_NAMES
        for head in HEADS
        if OWN_HEADS.get(head, family) == family
    ],
)
def test_a_head_is_given_only_where_it_was_trained(
    family: str, head: str, checkpoints: Checkpoints
) -> None:  # H08, H09, H20
    opened = read_checkpoint(f"{family}-{head}", checkpoints(family, head))
    for task in Task:
        if task is Task.ENCODER or HEAD_OF[task] in (head, ALSO_IN.get(head)):
            assert load_resident(opened, task, CPU).task is task
            continue
        with pytest.raises(HeadError) as error:
            load_resident(opened, task, CPU)
        assert f"{family}-{head}" in str(error.value)
        assert FAMILIES[family].why_not.get(task, "Choose another model") in str(error.value)
        assert "  " not in str(error.value)


@pytest.mark.parametrize(
    ("family", "head", "task", "missing"),
    [
        ("bert", "fill-mask", Task.SENTIMENT, "classifier.bias, classifier.weight"),
        ("deberta-v2", "base", Task.FILL_MASK, "6 weights"),
        ("electra", "base", Task.FILL_MASK, "its generator does"),
        ("bert", "base", Task.NEXT_SENTENCE, "cls.seq_relationship"),
        ("roberta", "base", Task.QUESTION_ANSWERING, "qa_outputs"),
    ],
)
def test_missing_weights_are_named(
    family: str, head: str, task: Task, missing: str, checkpoints: Checkpoints
) -> None:  # H08, H09
    with pytest.raises(HeadError, match=missing) as error:
        load_folder(checkpoints(family, head), task)
    assert "random" in str(error.value)


@pytest.mark.parametrize("family", ["roberta", "distilbert", "electra", "deberta-v2", "albert"])
def test_a_family_without_sentence_pairs_says_so(
    family: str, checkpoints: Checkpoints
) -> None:  # H20
    with pytest.raises(HeadError, match="use BERT") as error:
        load_folder(checkpoints(family, "base"), Task.NEXT_SENTENCE)
    assert FAMILIES[family].name in str(error.value)


def test_a_refused_network_is_not_kept_in_memory(
    checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []
    real = transformers.BertForSequenceClassification.__init__

    def noted(self: Any, *args: Any, **kwargs: Any) -> None:
        made.append(weakref.ref(self))
        real(self, *args, **kwargs)

    def refused() -> str:
        try:
            load_folder(checkpoints("bert", "fill-mask"), Task.SENTIMENT)
        except HeadError as error:
            return str(error)
        return ""

    monkeypatch.setattr(transformers.BertForSequenceClassification, "__init__", noted)
    gc.disable()  # memory must not wait for the collector
    try:
        assert "random" in refused()
        assert [ref() for ref in made] == [None]
    finally:
        gc.enable()


def test_the_answers_of_a_head_are_those_of_transformers(checkpoints: Checkpoints) -> None:
    for family in FAMILY_NAMES:
        folder = checkpoints(family, "fill-mask")
        model = load_folder(folder)
        plain = transformers.AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float32)
        encoding = model.encode("the river ran past")
        with torch.inference_mode():
            expected = plain(torch.tensor([encoding.input_ids])).logits[0]
        torch.testing.assert_close(torch.tensor(model.run([encoding])[0]["logits"]), expected)
        assert not any(tensor.requires_grad for tensor in model._resident.network.parameters())
        assert not model._resident.network.training


# Weights


def test_layers_that_are_not_in_the_checkpoint_are_named(copy: Copy) -> None:
    folder = copy(num_hidden_layers=4)
    for task in (Task.FILL_MASK, Task.ENCODER):
        with pytest.raises(CheckpointError, match=r"incomplete.*encoder\.layer\.3"):
            load_folder(folder, task)


@pytest.mark.parametrize("change", [{"vocab_size": 300}, {"hidden_size": 64}])
def test_weights_of_another_shape_are_refused(copy: Copy, change: dict[str, int]) -> None:
    with pytest.raises(CheckpointError, match=r"should be \("):
        load_folder(copy(**change))


def test_a_classifier_of_another_size_is_refused(copy: Copy) -> None:
    folder = copy("bert", "text-classification", id2label={"0": "a", "1": "b", "2": "c"})
    change_json(folder / "config.json", label2id={"a": 0, "b": 1, "c": 2})
    with pytest.raises(HeadError, match=r"classifier\.\w+ is \(2.*should be \(3"):
        load_folder(folder, Task.SENTIMENT)


def test_weights_that_never_arrived_are_a_bug_and_no_answer(
    checkpoints: Checkpoints, monkeypatch: pytest.MonkeyPatch
) -> None:  # H10
    real = transformers.AutoModelForMaskedLM.from_pretrained

    def damaged(*args: Any, **kwargs: Any) -> Any:
        network, report = real(*args, **kwargs)
        network.cls.predictions.decoder.to("meta")
        return network, report

    monkeypatch.setattr(transformers.AutoModelForMaskedLM, "from_pretrained", damaged)
    with pytest.raises(RuntimeError, match="never arrived"):
        load_folder(checkpoints("bert", "fill-mask"))


def test_half_precision_files_are_read_as_float32(copy: Copy) -> None:
    folder = copy(dtype="float16")
    tensors = {n: t.half() for n, t in load_file(folder / "model.safetensors").items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    model = load_folder(folder)
    assert {t.dtype for t in model._resident.network.parameters()} == {torch.float32}
    model.run([model.encode("cold")])


class Bomb:
    """A pickle that runs code when it is read."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path(self.place),))

    def __init__(self, place: Path) -> None:
        self.place = str(place)


def test_pickles_are_never_opened(copy: Copy, tmp_path: Path) -> None:
    folder, trace = copy(), tmp_path / "ran"
    (folder / "model.safetensors").unlink()
    for name in ("pytorch_model.bin", "model.bin", "tf_model.h5"):
        (folder / name).write_bytes(pickle.dumps(Bomb(trace)))
    with pytest.raises(CheckpointError, match="no weights in safetensors form"):
        load_folder(folder)
    assert not trace.exists()


# Devices


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Pretend that the machine has some devices."""

    def pretend(*, cuda: int = 0, mps: bool = False) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: cuda)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)

    return pretend


@pytest.mark.parametrize(
    ("cuda", "mps", "asked", "device"),
    [
        (1, True, None, "cuda"),
        (0, True, None, "mps"),
        (0, False, None, "cpu"),
        (1, True, "cpu", "cpu"),
        (1, True, "mps", "mps"),
        (2, False, "cuda:1", "cuda:1"),
    ],
)
def test_the_best_device_is_found_unless_another_is_asked_for(
    machine: Callable[..., None], cuda: int, mps: bool, asked: str | None, device: str
) -> None:
    machine(cuda=cuda, mps=mps)
    assert find_placement(Settings(device=asked)) == Placement(device, torch.float32)


@pytest.mark.parametrize(
    ("cuda", "asked", "device"), [(0, "cuda", "cpu"), (1, "cuda:1", "cuda"), (1, "mps", "cuda")]
)
def test_a_device_that_is_not_there_is_said_to_be_so(
    machine: Callable[..., None], cuda: int, asked: str, device: str
) -> None:
    machine(cuda=cuda)
    placement = find_placement(Settings(device=asked))
    assert placement.device == device
    assert f"no {asked} device" in placement.notices[0]


@pytest.mark.parametrize("precision", ["float32", "bfloat16", "float16"])
def test_the_precision_can_be_chosen(precision: str, checkpoints: Checkpoints) -> None:
    settings = Settings(device="cpu", precision=precision)
    placement = find_placement(settings)
    assert placement.precision == precision
    checkpoint = read_checkpoint("bert", checkpoints("bert", "fill-mask"))
    resident = load_resident(checkpoint, Task.FILL_MASK, placement)
    assert {t.dtype for t in resident.network.parameters()} == {getattr(torch, precision)}


@pytest.fixture
def full_device(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let a device refuse networks that often; it is the CPU under another name."""

    def refuse(times: int) -> None:
        real, left = torch.nn.Module.to, [times]

        def to(self: Any, device: Any = None, *args: Any, **options: Any) -> Any:
            if device == "cuda":
                left[0] -= 1
                if left[0] >= 0:
                    raise torch.OutOfMemoryError("CUDA out of memory.")
                device = "cpu"
            return real(self, device, *args, **options)

        monkeypatch.setattr(torch.nn.Module, "to", to)

    return refuse


@pytest.mark.parametrize(("times", "relieved"), [(0, 0), (1, 1), (2, 2), (9, 2)])
def test_a_device_that_is_full_at_load_time_is_relieved_then_left_alone(
    times: int, relieved: int, full_device: Callable[[int], None], checkpoints: Checkpoints
) -> None:
    full_device(times)
    asked: list[str] = []
    resident = load_resident(
        read_checkpoint("bert", checkpoints("bert", "fill-mask")),
        Task.FILL_MASK,
        Placement("cuda", torch.float32),
        relieve=asked.append,
    )
    assert asked == ["cuda"] * relieved
    assert [n for n in resident.notices if "does not fit on cuda" in n] == resident.notices
    assert bool(resident.notices) == (times > 1)
    assert resident.device == "cpu"


def test_heads_of_one_checkpoint_share_what_is_equal(checkpoints: Checkpoints) -> None:
    placement = Placement("cpu", torch.float32)
    opened: Checkpoint = read_checkpoint("bert", checkpoints("bert", "fill-mask"))
    held = [
        load_resident(opened, task, placement, attentions=seen)
        for task in (Task.FILL_MASK, Task.ENCODER)
        for seen in (False, True)
    ]
    first = held[0].network.bert.encoder.layer[0].output.dense.weight
    for resident in held[1:]:
        shared = resident.network.base_model.encoder.layer[0].output.dense.weight
        assert shared.data_ptr() == first.data_ptr()
    assert all(resident.tokenizer is opened.tokenizer for resident in held)
    assert {*loading.AUTO_MODELS, *loading.OWN_MODELS} == set(Task)
