from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import transformers

from components.errors import CheckpointError, ModelError
from components.models.checkpoint import read_checkpoint
from components.models.families import Task
from tests.fakes import FAMILY_NAMES, load_folder
from tests.models.conftest import change_json

Copy = Callable[..., Path]


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


def test_a_folder_that_is_not_there_is_never_looked_for_on_the_hub(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"no config\.json"):
        read_checkpoint("bert-mini", tmp_path / "none")


@pytest.mark.parametrize("kind", ["gpt2", "t5", "deberta", "xlm-roberta", "llama", "vit"])
def test_other_kinds_of_models_are_refused_by_name(kind: str, copy: Copy) -> None:
    folder = copy()
    transformers.AutoConfig.for_model(kind).save_pretrained(folder)
    with pytest.raises(ModelError, match=f"of the type {kind}, .*BERT, RoBERTa"):
        load_folder(folder)


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
