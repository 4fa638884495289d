"""Loading a tokenizer, and refusing the ones that transformers makes up in silence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tokenizers

from components.errors import CheckpointError
from components.models.libraries import AutoTokenizer
from components.models.troubles import sentence

_CASED = "Paris The river"  # capitals tell whether a tokenizer follows its file


def load_tokenizer(
    folder: Path, config: Any, model_id: str, reading: Mapping[str, Any]
) -> tuple[Any, tuple[str, ...]]:
    """Load the tokenizer of a checkpoint, and what is to be said about it.

    Raises CheckpointError when it does not fit the network.
    """
    _refuse_paths(folder, model_id)
    tokenizer = AutoTokenizer.from_pretrained(folder, **reading, **_casing(folder))
    _refuse_unfit(tokenizer, config.vocab_size, model_id)
    if _follows_its_file(tokenizer, folder):
        return tokenizer, ()
    of_file = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    is_asked = "do_lower_case" in _read(folder, "tokenizer_config.json")  # then it is no accident
    if not is_asked and _lower_cases(tokenizer.backend_tokenizer) and not _lower_cases(of_file):
        trouble = "is a cased model, and its tokenizer, as transformers builds it, lower-cases."
        raise CheckpointError(sentence(model_id, trouble))
    notice = f"The tokenizer of {model_id} may not follow the capitals of its tokenizer.json."
    return tokenizer, (notice,)


def is_byte_level(tokenizer: Any) -> bool:
    """Say whether the pieces are made of bytes, each written as one character."""
    splitter = tokenizer.backend_tokenizer.pre_tokenizer
    return splitter is not None and b'"ByteLevel"' in splitter.__getstate__()


def _refuse_paths(folder: Path, model_id: str) -> None:
    """Refuse settings that would make transformers read a vocabulary outside the folder."""
    said, special = _read(folder, "tokenizer_config.json"), _read(folder, "special_tokens_map.json")
    odd = {"vocab", "merges"} & said.keys() | {key for key in special if "token" not in key}
    if odd:
        names = ", ".join(sorted(odd))
        raise CheckpointError(sentence(model_id, f"has tokenizer settings of no use: {names}."))


def _refuse_unfit(tokenizer: Any, vocab_size: int, model_id: str) -> None:
    size, highest = len(tokenizer), max(tokenizer.get_vocab().values())
    if size < vocab_size / 2:  # without files, a handful of special tokens is made up
        trouble = (
            f"has no tokenizer files that fit: {size} tokens were found, and its network knows "
            f"{vocab_size}."
        )
    elif highest >= vocab_size:
        trouble = (
            f"has a tokenizer whose ids go up to {highest}, and its network knows only "
            f"{vocab_size} tokens."
        )
    elif not tokenizer.is_fast:
        trouble = "has a tokenizer that does not say where in the text its tokens stand."
    elif None in (tokenizer.mask_token_id, tokenizer.pad_token_id):
        trouble = "has a tokenizer without a mask or without padding: it is of no encoder."
    else:
        return
    raise CheckpointError(sentence(model_id, trouble))


def _casing(folder: Path) -> dict[str, Any]:
    """Read what version 5 of transformers ignores: how a BERT tokenizer treats capitals.

    It rebuilds the tokenizer from its class's defaults, which lower-case, unless
    tokenizer_config.json says otherwise.
    """
    said = _read(folder, "tokenizer_config.json")
    if not (folder / "tokenizer.json").exists():
        return _casing_of_vocabulary(folder) if "do_lower_case" not in said else {}
    normalizer = _read(folder, "tokenizer.json").get("normalizer") or {}
    if normalizer.get("type") != "BertNormalizer":
        return {}
    known = {
        "do_lower_case": "lowercase",
        "strip_accents": "strip_accents",
        "tokenize_chinese_chars": "handle_chinese_chars",
    }
    return {
        flag: normalizer[key]
        for flag, key in known.items()
        if flag not in said and key in normalizer
    }


def _casing_of_vocabulary(folder: Path) -> dict[str, bool]:
    """Take a vocabulary with capitals, those of special tokens aside, for a cased one."""
    file = folder / "vocab.txt"
    tokens = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    cased = any(token != token.lower() and not token.startswith("[") for token in tokens)
    return {"do_lower_case": False} if cased else {}


def _lower_cases(tokenizer: tokenizers.Tokenizer) -> bool:
    """Say whether a normalizer drops capital letters."""
    normalizer = tokenizer.normalizer
    return normalizer is not None and "P" not in normalizer.normalize_str(_CASED)


def _follows_its_file(tokenizer: Any, folder: Path) -> bool:
    file = folder / "tokenizer.json"
    if not file.exists():
        return True
    expected = tokenizers.Tokenizer.from_file(str(file))
    tokens = expected.encode(_CASED, add_special_tokens=False).tokens
    return bool(tokens == tokenizer.tokenize(_CASED))


def _read(folder: Path, name: str) -> dict[str, Any]:
    path = folder / name
    content = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return content if isinstance(content, dict) else {}
