"""A tokenizer's normalizer, step by step: what each does to a text before it is split."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tokenizers import normalizers

from components.models.encoding import NormalizerStep, Span

# BertNormalizer is four steps in one, taken in this order; each can be switched on alone.
_BERT_STEPS = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")


def follow_normalizer(
    normalizer: Any, text: str, kept: Sequence[Span] = ()
) -> tuple[NormalizerStep, ...]:
    """Apply each step of `normalizer` in turn, and note the text before and after it.

    `kept` are the spans of special tokens, in reading order: no normalizer touches those.
    """
    steps: list[NormalizerStep] = []
    parts = list(_between(text, kept))
    for name, detail, step in _steps(normalizer):
        changed = [one if is_kept else step.normalize_str(one) for one, is_kept in parts]
        after = [(one, is_kept) for one, (_, is_kept) in zip(changed, parts, strict=True)]
        steps.append(NormalizerStep(name, detail, _joined(parts), _joined(after)))
        parts = after
    return tuple(steps)


def _between(text: str, kept: Sequence[Span]) -> Iterator[tuple[str, bool]]:
    end = 0
    for start, stop in kept:
        yield text[end:start], False
        yield text[start:stop], True
        end = stop
    yield text[end:], False


def _joined(parts: Sequence[tuple[str, bool]]) -> str:
    return "".join(text for text, _ in parts)


def _steps(normalizer: Any) -> Iterator[tuple[str, str, Any]]:
    """Give name, detail and the step itself, one after the other."""
    if normalizer is None:
        return
    state = json.loads(normalizer.__getstate__())
    if state["type"] == "Sequence":
        for i in range(len(state["normalizers"])):
            yield from _steps(normalizer[i])
    elif state["type"] == "BertNormalizer":
        yield from _bert_steps(state)
    else:
        yield state.pop("type"), _detail(state), normalizer


def _bert_steps(state: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    if state["strip_accents"] is None:  # then it goes with small letters
        state["strip_accents"] = state["lowercase"]
    for name in _BERT_STEPS:
        if state[name]:
            alone = {**dict.fromkeys(_BERT_STEPS, False), name: True}
            yield name, "", normalizers.BertNormalizer(**alone)


def _detail(state: dict[str, Any]) -> str:
    """Say what is replaced by what, or added; other settings are of no use to a reader."""
    added = state.get("prepend", state.get("content"))
    if "pattern" in state:
        return f"{next(iter(state['pattern'].values()))} → {added}"
    return "" if added is None else str(added)
