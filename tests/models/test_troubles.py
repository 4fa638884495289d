from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import transformers

from components.errors import CheckpointError
from tests.fakes import load_folder
from tests.models.conftest import change_json

Copy = Callable[..., Path]


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
