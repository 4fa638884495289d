from __future__ import annotations

import gc
import io
import pickle
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from components.config import Settings, SettingsError
from components.errors import CheckpointError, HeadError, ModelError
from components.models import loading
from components.models.checkpoint import Checkpoint, read_checkpoint
from components.models.families import FAMILIES, Task
from components.models.loading import Placement, find_placement, load_resident
from tests.fakes import FAMILY_NAMES, HEADS
from tests.models.conftest import change_json, load_folder

Copy = Callable[..., Path]
Checkpoints = Callable[[str, str], Path]

CPU = Placement("cpu", torch.float32)
HEAD_OF = {task: "base" if task is Task.ENCODER else task.value for task in Task}


# Heads


@pytest.mark.parametrize(
    ("family", "head"),
    [
        (family, head)
        for family in FAMILY_NAMES
        for head in HEADS
        if family == "bert" or head != "next-sentence-prediction"
    ],
)
def test_a_head_is_given_only_where_it_was_trained(
    family: str, head: str, checkpoints: Checkpoints
) -> None:  # H08, H09, H20
    opened = read_checkpoint(f"{family}-{head}", checkpoints(family, head))
    for task in Task:
        if task is Task.ENCODER or HEAD_OF[task] == head:
            assert load_resident(opened, task, Settings(), CPU).task is task
            continue
        with pytest.raises(HeadError) as error:
            load_resident(opened, task, Settings(), CPU)
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
    with pytest.raises(CheckpointError, match=r"classifier\.\w+ is \(2.*should be \(3"):
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


def test_code_of_a_checkpoint_is_never_run_nor_asked_about(
    copy: Copy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # H16
    folder, trace = copy(model_type="zork"), tmp_path / "ran"
    change_json(
        folder / "config.json",
        auto_map={"AutoConfig": "code.Config", "AutoModelForMaskedLM": "code.Model"},
    )
    (folder / "code.py").write_text(f"open({str(trace)!r}, 'w')\n")
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("asked on stdin"))
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\ny\ny\n"))
    with pytest.raises(CheckpointError, match="never runs such code"):
        load_folder(folder)
    change_json(folder / "config.json", model_type="bert")
    load_folder(folder)
    assert not trace.exists()


# Broken folders


def spoil(name: str, content: str | bytes | None) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        if content is None:
            (folder / name).unlink()
        elif isinstance(content, bytes):
            (folder / name).write_bytes(content)
        else:
            (folder / name).write_text(content, encoding="utf-8")

    return change


def halve(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def setting(**changes: Any) -> Callable[[Path], None]:
    return lambda folder: change_json(folder / "config.json", **changes)


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
BROKEN = {
    "no config": (spoil("config.json", None), "no config.json"),
    "half a config": (spoil("config.json", '{"a":'), "not JSON"),
    "a list as config": (spoil("config.json", "[1]"), "which kind of model"),
    "no type": (setting(model_type=None, architectures=None), "which kind of model"),
    "unknown type": (setting(model_type="zork"), "does not know"),
    "a word for a number": (setting(num_hidden_layers="three"), "num_hidden_layers"),
    "heads that do not divide": (setting(num_attention_heads=5), "could not be read"),
    "no such activation": (setting(hidden_act="zork"), "could not be read"),
    "no such dtype": (setting(dtype="zork"), "could not be read"),
    "labels that are no table": (setting(id2label="x"), "could not be read"),
    "padding outside": (setting(pad_token_id=10**6), "could not be read"),
    "negative vocabulary": (setting(vocab_size=-5), "tokenizer"),
    "quantized": (
        setting(quantization_config={"quant_method": "bitsandbytes", "load_in_8bit": True}),
        "could not be read",
    ),
    "no weights": (spoil("model.safetensors", None), "no weights in safetensors form"),
    "half the weights": (halve, "damaged"),
    "no bytes": (spoil("model.safetensors", b""), "damaged"),
    "a pointer": (spoil("model.safetensors", POINTER), "damaged"),
    "half a tokenizer": (spoil("tokenizer.json", "{"), "could not be read"),
    "an empty tokenizer": (spoil("tokenizer.json", "{}"), "could not be read"),
    "an odd tokenizer": (
        spoil("tokenizer.json", '{"model": {"type": "Zork"}, "added_tokens": []}'),
        "could not be read",
    ),
    "a list of settings": (spoil("tokenizer_config.json", "[]"), "could not be read"),
    "a tokenizer of another kind": (
        spoil("tokenizer_config.json", '{"tokenizer_class": "BertJapaneseTokenizer"}'),
        "could not be read",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_folder_gets_a_sentence_of_its_own(name: str, copy: Copy) -> None:
    folder = copy()
    change, said = BROKEN[name]
    change(folder)
    with pytest.raises(CheckpointError, match=said) as error:
        load_folder(folder)
    assert str(error.value).startswith(folder.name)
    assert str(folder.parent) not in str(error.value)  # no path of the server
    assert len(str(error.value)) < 400


def test_a_folder_that_is_not_there_is_never_looked_for_on_the_hub(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"no config\.json"):
        read_checkpoint("bert-mini", tmp_path / "none")


@pytest.mark.parametrize("kind", ["gpt2", "t5", "deberta", "xlm-roberta", "llama", "vit"])
def test_other_kinds_of_models_are_refused_by_name(kind: str, copy: Copy) -> None:
    folder = copy()
    transformers.AutoConfig.for_model(kind).save_pretrained(folder)
    with pytest.raises(ModelError, match=f"of the type {kind}, .*BERT, RoBERTa"):
        load_folder(folder)


def test_a_panic_of_the_tokenizers_becomes_a_sentence(
    copy: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:  # H31
    class PanicException(BaseException):
        pass

    def panic(*_args: Any, **_options: Any) -> None:
        raise PanicException("called `Option::unwrap()` on a `None` value")

    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", panic)
    with pytest.raises(CheckpointError, match="could not be read"):
        load_folder(copy())


def test_an_interrupt_is_no_trouble_of_the_checkpoint(
    copy: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_args: Any, **_options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", interrupt)
    with pytest.raises(KeyboardInterrupt):
        load_folder(copy())


# How much a model reads


def limit_of(folder: Path) -> int:
    return load_folder(folder, Task.ENCODER).max_length


def test_a_tokenizer_without_a_limit_takes_that_of_the_network(copy: Copy) -> None:  # H23
    for family in FAMILY_NAMES:
        folder = copy(family, "base")
        change_json(folder / "tokenizer_config.json", model_max_length=None)
        assert limit_of(folder) == 64


@pytest.mark.parametrize(("said", "limit"), [(32, 32), (10**30, 64), (0, 64), (2, 64)])
def test_the_smaller_limit_counts_unless_it_is_nonsense(copy: Copy, said: int, limit: int) -> None:
    folder = copy("bert", "base")
    change_json(folder / "tokenizer_config.json", model_max_length=said)
    assert limit_of(folder) == limit


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
    resident = load_resident(checkpoint, Task.FILL_MASK, settings, placement)
    assert {t.dtype for t in resident.network.parameters()} == {getattr(torch, precision)}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DEVICE", "gpu"), ("DEVICE", "cuda:x"), ("DEVICE", "meta"), ("DEVICE", "cpu; rm"),
        ("PRECISION", "float33"), ("PRECISION", "int8"), ("PRECISION", "nn"),
        ("MEMORY_GB", "lots"), ("MEMORY_GB", "0"), ("MEMORY_GB", "-1"), ("MEMORY_GB", "nan"),
        ("MEMORY_GB", "inf"), ("MEMORY_GB", "1e999"), ("MEMORY_GB", "2 GB"),
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_stops_the_start_with_a_sentence(name: str, value: str) -> None:
    with pytest.raises(SettingsError) as error:
        Settings.from_environment({f"ENCODER_LAB_{name}": value})
    assert f"ENCODER_LAB_{name}" in str(error.value)
    assert value in str(error.value)


def test_settings_are_read_from_the_environment() -> None:
    assert Settings.from_environment({}) == Settings()
    assert Settings.from_environment({"ENCODER_LAB_DEVICE": " ", "OTHER": "x"}) == Settings()
    made = Settings.from_environment(
        {
            "ENCODER_LAB_DEVICE": " CUDA:1 ",
            "ENCODER_LAB_PRECISION": "bfloat16",
            "ENCODER_LAB_MEMORY_GB": "0.5",
        }
    )
    assert made == Settings(device="cuda:1", precision="bfloat16", memory_limit=2**29)


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
        Settings(),
        Placement("cuda", torch.float32),
        relieve=asked.append,
    )
    assert asked == ["cuda"] * relieved
    assert [n for n in resident.notices if "does not fit on cuda" in n] == resident.notices
    assert bool(resident.notices) == (times > 1)
    assert resident.device == "cpu"


def test_heads_of_one_checkpoint_share_what_is_equal(checkpoints: Checkpoints) -> None:
    settings, placement = Settings(), Placement("cpu", torch.float32)
    opened: Checkpoint = read_checkpoint("bert", checkpoints("bert", "fill-mask"))
    held = [
        load_resident(opened, task, settings, placement, attentions=seen)
        for task in (Task.FILL_MASK, Task.ENCODER)
        for seen in (False, True)
    ]
    first = held[0].network.bert.encoder.layer[0].output.dense.weight
    for resident in held[1:]:
        shared = resident.network.base_model.encoder.layer[0].output.dense.weight
        assert shared.data_ptr() == first.data_ptr()
    assert all(resident.tokenizer is opened.tokenizer for resident in held)
    assert loading.AUTO_MODELS.keys() == set(Task)
