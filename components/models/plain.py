"""From tokenizers' encodings and networks' tensors to the plain values that tasks see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from components.models.encoding import Encoding, Span
from components.models.families import Task

_TOKEN_LEVEL = frozenset(
    {Task.FILL_MASK, Task.REPLACED_TOKENS, Task.QUESTION_ANSWERING, Task.ENCODER}
)


def well_formed(text: str) -> str:
    """Replace lone surrogates, which no tokenizer takes, one character for one."""
    return text.encode("utf-8", "replace").decode("utf-8")


def plain_encoding(encoding: Any, tokens: Sequence[str], segments: bool, mark: str) -> Encoding:
    """Take over what a tokenizer made of an input; `mark` is what begins a word."""
    return Encoding(
        tokens=tuple(tokens),  # not its own: they spell out what the vocabulary lacks
        input_ids=tuple(encoding.ids),
        token_type_ids=tuple(encoding.type_ids) if segments else None,
        offsets=_offsets(encoding, tokens, mark),
        sequence_ids=tuple(encoding.sequence_ids),
        word_ids=tuple(encoding.word_ids),
        full_length=len(encoding.ids),
    )


def _offsets(encoding: Any, tokens: Sequence[str], mark: str) -> tuple[Span, ...]:
    """Give the spans of `tokens`; that of a bare word `mark` never reaches into the word.

    A unigram tokenizer gives it the first letter of the word, which the next token has too.
    """
    spans: list[Span] = encoding.offsets
    texts = encoding.sequence_ids
    bare = {
        i
        for i, token in enumerate(tokens[:-1])
        if token == mark and (spans[i][0], texts[i]) == (spans[i + 1][0], texts[i + 1])
    }
    return tuple((s, s) if i in bare else (s, end) for i, (s, end) in enumerate(spans))


def answer_of(
    outputs: Mapping[str, Any], row: int, kept: int, length: int, task: Task
) -> dict[str, NDArray[np.float32]]:
    """Take one input's share of a batch, its padding cut off."""
    answer: dict[str, NDArray[np.float32]] = {}
    for name, value in outputs.items():
        if name == "attentions":
            stacked = torch.stack([layer[row, :, :length, :length] for layer in value])
            answer[name] = _array(stacked)  # (layers, heads, queries, keys)
        elif name == "hidden_states":
            answer[name] = _array(torch.stack([layer[row, :length] for layer in value]))
        elif isinstance(value, torch.Tensor):
            by_token = task in _TOKEN_LEVEL and name != "pooler_output"
            answer[name] = _array(value[row, :kept] if by_token else value[row])
    return answer


def _array(tensor: torch.Tensor) -> NDArray[np.float32]:
    array: NDArray[np.float32] = tensor.float().cpu().numpy()
    return array
