"""Loading a tokenizer, and refusing the ones that transformers makes up in silence."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer
from transformers.utils.hub import cached_file

from components.errors import CheckpointError
from components.models.hub import Source

logger = logging.getLogger(__name__)


def load_tokenizer(source: Source, config: Any, model_id: str) -> Any:
    """Load the tokenizer of a checkpoint; CheckpointError when it does not fit the network."""
    options = dict(source.options, **_casing(source))
    tokenizer = AutoTokenizer.from_pretrained(source.place, **options)
    if len(tokenizer) < config.vocab_size / 2:  # without files, five special tokens are made up
        raise CheckpointError(
            f"{model_id} has no tokenizer files: {len(tokenizer)} tokens were found, and the "
            f"network knows {config.vocab_size}. Choose a model that brings its vocabulary."
        )
    if max(tokenizer.get_vocab().values()) >= config.vocab_size:
        raise CheckpointError(
            f"The tokenizer of {model_id} has more tokens than its network knows "
            f"({len(tokenizer)} against {config.vocab_size}). Choose another model."
        )
    return tokenizer


def _casing(source: Source) -> dict[str, Any]:
    """Read from tokenizer.json what version 5 of transformers ignores: the casing of the text.

    It rebuilds the tokenizer from its class's defaults, which lower-case, unless
    tokenizer_config.json says otherwise.
    """
    said = _read(source, "tokenizer_config.json")
    normalizer = _read(source, "tokenizer.json").get("normalizer") or {}
    if normalizer.get("type") != "BertNormalizer":
        return {}
    known = {"do_lower_case": "lowercase", "strip_accents": "strip_accents"}
    return {flag: normalizer.get(key) for flag, key in known.items() if flag not in said}


def _read(source: Source, name: str) -> dict[str, Any]:
    path = cached_file(
        source.place,
        name,
        local_files_only=source.local_only,
        _raise_exceptions_for_missing_entries=False,
        _raise_exceptions_for_connection_errors=False,
    )
    content = json.loads(Path(path).read_text(encoding="utf-8")) if path else {}
    return content if isinstance(content, dict) else {}
