from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sentencepiece

from components.errors import CheckpointError
from components.models.families import Task
from components.models.loaded import LoadedModel
from tests import fakes
from tests.fakes import FAMILY_NAMES, load_folder
from tests.models.conftest import change_json

Copy = Callable[..., Path]


def tokens(folder: Path, text: str) -> list[str]:
    return list(load_folder(folder, Task.ENCODER).encode(text).tokens[1:-1])


def cased(folder: Path, **normalizer: Any) -> Path:
    """Make a checkpoint's tokenizer a cased one whose flags stand in tokenizer.json alone."""
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    content["normalizer"] = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": False,
        **normalizer,
    }
    for word in ("Paris", "The", "café"):
        content["model"]["vocab"][word] = len(content["model"]["vocab"])
    file.write_text(json.dumps(content), encoding="utf-8")
    change_json(
        folder / "tokenizer_config.json",
        do_lower_case=None,
        strip_accents=None,
        tokenize_chinese_chars=None,
    )
    size = len(content["model"]["vocab"])
    network = fakes.network_of("bert", "base")
    network.resize_token_embeddings(size)
    network.save_pretrained(folder)
    return folder


# Capitals and accents


def test_a_cased_tokenizer_stays_cased(copy: Copy) -> None:  # H15
    folder = cased(copy("bert", "base"))
    assert tokens(folder, "Paris The river") == ["Paris", "The", "river"]
    model = load_folder(folder, Task.ENCODER)
    assert not model.lowercases
    assert model.notices == ()


def test_accents_are_kept_where_the_file_keeps_them(copy: Copy) -> None:  # H15
    assert tokens(cased(copy("bert", "base")), "café") == ["café"]


def test_accents_are_dropped_where_the_file_drops_them(copy: Copy) -> None:  # H15
    assert tokens(cased(copy("bert", "base"), strip_accents=True), "café The") == ["cafe", "The"]


def test_lower_case_with_accents_is_followed_too(copy: Copy) -> None:  # H15
    folder = cased(copy("bert", "base"), strip_accents=False, lowercase=True)
    assert tokens(folder, "CAFÉ RIVER") == ["café", "river"]


def test_chinese_is_split_as_the_file_says(copy: Copy) -> None:
    folder = cased(copy("bert", "base"), handle_chinese_chars=False)
    assert len(tokens(folder, "你好")) == 1


def test_what_tokenizer_config_says_counts(copy: Copy) -> None:
    folder = cased(copy("bert", "base"))
    change_json(folder / "tokenizer_config.json", do_lower_case=True)
    assert tokens(folder, "RIVER") == ["river"]


@pytest.mark.parametrize("family", ["bert", "distilbert", "electra"])
@pytest.mark.parametrize("is_cased", [True, False])
def test_a_bare_vocabulary_tells_by_its_capitals(
    copy: Copy, family: str, is_cased: bool
) -> None:  # H15
    folder = copy(family, "base")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    vocabulary = list(fakes.wordpiece_vocabulary())
    if is_cased:
        vocabulary[-1] = "River"
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    assert tokens(folder, "The River ran")[1:] == (
        ["River", "ran"] if is_cased else ["river", "ran"]
    )


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_an_ordinary_tokenizer_gets_no_notice(copy: Copy, family: str) -> None:
    assert load_folder(copy(family, "base"), Task.ENCODER).notices == ()


def test_a_tokenizer_that_lower_cases_a_cased_model_is_refused(copy: Copy) -> None:  # H15
    folder = copy("albert", "base")
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    content["normalizer"] = {"type": "NFC"}  # a cased ALBERT; its class lower-cases
    file.write_text(json.dumps(content), encoding="utf-8")
    change_json(folder / "tokenizer_config.json", do_lower_case=None)
    with pytest.raises(CheckpointError, match="cased model"):
        load_folder(folder, Task.ENCODER)


def test_a_tokenizer_that_does_not_follow_its_file_is_said_to_be_so(copy: Copy) -> None:  # H15
    folder = copy("albert", "base")
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    content["pre_tokenizer"] = {"type": "CharDelimiterSplit", "delimiter": "e"}
    file.write_text(json.dumps(content), encoding="utf-8")
    assert "may not follow" in load_folder(folder, Task.ENCODER).notices[0]


# Tokenizers that do not fit


@pytest.mark.parametrize("family", FAMILY_NAMES)
@pytest.mark.parametrize("keeps_settings", [True, False])
def test_a_checkpoint_without_a_vocabulary_is_refused(
    copy: Copy, family: str, keeps_settings: bool
) -> None:  # H11
    folder = copy(family, "base")
    (folder / "tokenizer.json").unlink()
    if not keeps_settings:
        (folder / "tokenizer_config.json").unlink()
    with pytest.raises(CheckpointError, match="no tokenizer files"):
        load_folder(folder, Task.ENCODER)


def test_a_vocabulary_larger_than_the_network_is_refused(copy: Copy) -> None:
    folder = copy("bert", "base")
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    content["model"]["vocab"]["another"] = len(content["model"]["vocab"])
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(CheckpointError, match="ids go up to 183"):
        load_folder(folder, Task.ENCODER)


def test_a_tokenizer_without_a_mask_is_refused(copy: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    import transformers

    real = transformers.AutoTokenizer.from_pretrained

    def without_mask(*args: Any, **options: Any) -> Any:
        tokenizer = real(*args, **options)
        tokenizer.mask_token = None
        return tokenizer

    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", without_mask)
    with pytest.raises(CheckpointError, match="without a mask"):
        load_folder(copy("bert", "base"), Task.ENCODER)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("tokenizer_config.json", "vocab"),
        ("tokenizer_config.json", "vocab_file"),
        ("tokenizer_config.json", "tokenizer_file"),
        ("special_tokens_map.json", "vocab"),
        ("special_tokens_map.json", "vocab_file"),
        ("special_tokens_map.json", "tokenizer_file"),
    ],
)
@pytest.mark.parametrize("has_vocabulary", [True, False])
def test_a_checkpoint_cannot_make_the_server_show_its_files(
    copy: Copy, tmp_path: Path, name: str, key: str, has_vocabulary: bool
) -> None:  # H16
    secret = tmp_path / "passwords.txt"
    secret.write_text("\n".join(["topsecret", *fakes.wordpiece_vocabulary()][:-1]))
    folder = copy("bert", "base")
    if not has_vocabulary:
        (folder / "tokenizer.json").unlink()
    settings = {"tokenizer_class": "BertTokenizer"} if name == "tokenizer_config.json" else {}
    (folder / "tokenizer_config.json").unlink()
    (folder / name).write_text(json.dumps({**settings, key: str(secret)}))
    try:
        model = load_folder(folder, Task.ENCODER)
    except CheckpointError as error:
        shown = str(error)
    else:
        shown = " ".join(model._resident.tokenizer.get_vocab())
    assert "topsecret" not in shown
    assert str(tmp_path) not in shown


# SentencePiece


@pytest.fixture
def spm(copy: Copy) -> Callable[[str], Path]:
    """Make a checkpoint whose vocabulary is a SentencePiece model, and nothing else."""

    def make(family: str) -> Path:
        folder, made = copy(family, "base"), io.BytesIO()
        (folder / "tokenizer.json").unlink()
        symbols = ["[CLS]", "[SEP]", "[MASK]"]
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(list(fakes.SENTENCES) * 20),
            model_writer=made,
            vocab_size=100,
            user_defined_symbols=symbols if family == "albert" else [],
            control_symbols=[] if family == "albert" else symbols,
            pad_id=0,
            unk_id=1,
            bos_id=-1,
            eos_id=-1,
            pad_piece="<pad>" if family == "albert" else "[PAD]",
            unk_piece="<unk>" if family == "albert" else "[UNK]",
            minloglevel=9,
        )
        name = "spiece.model" if family == "albert" else "spm.model"
        (folder / name).write_bytes(made.getvalue())
        return folder

    return make


@pytest.mark.parametrize("family", ["albert", "deberta-v2"])
def test_a_sentencepiece_vocabulary_alone_is_enough(
    spm: Callable[[str], Path], family: str
) -> None:  # H12
    model: LoadedModel = load_folder(spm(family), Task.ENCODER)
    text = "the river ran past the mill"
    encoding = model.encode(text)
    assert "".join(model.readable(t) for t in encoding.tokens[1:-1]) == text.replace(" ", "")
    model.run([encoding])


@pytest.mark.parametrize("package", ["sentencepiece", "google.protobuf"])
@pytest.mark.parametrize("family", ["albert", "deberta-v2"])
def test_missing_packages_are_both_named(
    spm: Callable[[str], Path], family: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # H12
    folder = spm(family)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, "sentencepiece.sentencepiece_model_pb2", None)
    monkeypatch.delattr(sentencepiece, "sentencepiece_model_pb2", raising=False)
    with pytest.raises(CheckpointError, match="sentencepiece and protobuf") as error:
        load_folder(folder, Task.ENCODER)
    assert "tiktoken" not in str(error.value)


def test_a_damaged_sentencepiece_file_is_said_to_be_so(spm: Callable[[str], Path]) -> None:
    folder = spm("albert")
    (folder / "spiece.model").write_bytes(b"\x0e\x00nonsense")
    with pytest.raises(CheckpointError) as error:
        load_folder(folder, Task.ENCODER)
    assert "damaged" in str(error.value)
    assert "tiktoken" not in str(error.value)
