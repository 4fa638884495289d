"""From a model id to a network with its head and its tokenizer, from disk or from the Hub.

Slow to import (torch and transformers), so the manager imports it when the first model is asked
for. Whatever transformers would let pass in silence is refused here: an untrained head, an empty
tokenizer, weights that never arrived.
"""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import transformers
from transformers import AutoConfig

from components.config import Settings
from components.errors import HeadError, ModelError
from components.models import hub
from components.models.catalog import find_card
from components.models.families import FAMILIES, Family, Task
from components.models.loaded import Resident
from components.models.tokenizers import load_tokenizer

logger = logging.getLogger(__name__)
transformers.logging.set_verbosity(logging.ERROR)  # its load reports are read here, not in the log
transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]

AUTO_MODELS: dict[Task, Any] = {
    Task.FILL_MASK: transformers.AutoModelForMaskedLM,
    Task.NEXT_SENTENCE: transformers.AutoModelForNextSentencePrediction,
    Task.SENTIMENT: transformers.AutoModelForSequenceClassification,
    Task.QUESTION_ANSWERING: transformers.AutoModelForQuestionAnswering,
    Task.ENCODER: transformers.AutoModel,
}

# Two overlapping from_pretrained calls damage the process for good: no_tie_weights() swaps
# PreTrainedModel.tie_weights for the whole class (transformers PR 44940). One lock round them all.
LOAD_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class Placement:
    """Where networks run, and in which precision."""

    device: str
    dtype: torch.dtype

    @property
    def precision(self) -> str:
        """The dtype's name, as in "float32"."""
        return str(self.dtype).removeprefix("torch.")


def find_placement(settings: Settings) -> Placement:
    """Choose cuda, then mps, then cpu, and the precision that suits it."""
    device = settings.device or _best_device()
    if settings.precision:
        return Placement(device, getattr(torch, settings.precision))
    if device.startswith("cuda"):
        half = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
        return Placement(device, half)
    return Placement(device, torch.float32)


def _best_device() -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def load_resident(
    model_id: str,
    task: Task,
    settings: Settings,
    placement: Placement,
    *,
    attentions: bool = False,
    relieve: Callable[[Resident | None], None] = lambda _: None,
) -> Resident:
    """Read a checkpoint for `task`, on its device and ready to answer.

    With `attentions` the network computes attention the plain way, so that its weights can be
    seen. `relieve` frees accelerator memory. Raises UnknownModelError, HeadError or
    CheckpointError, each with what to do.
    """
    card = find_card(model_id)
    if card is not None:
        source = hub.Source(str(settings.models_dir / card.id), local_only=True)
    else:
        source = hub.find_source(model_id, settings.hub_timeout)
    return read_resident(model_id, source, task, placement, attentions=attentions, relieve=relieve)


def read_resident(
    model_id: str,
    source: hub.Source,
    task: Task,
    placement: Placement,
    *,
    attentions: bool = False,
    relieve: Callable[[Resident | None], None] = lambda _: None,
) -> Resident:
    """Read a checkpoint from a place that is known to be allowed, as `load_resident` does."""
    with LOAD_LOCK, hub.explained(model_id):
        config = AutoConfig.from_pretrained(source.place, **source.options)
        family = _family_of(config, model_id)
        tokenizer = load_tokenizer(source, config, model_id)
        network = _load_network(model_id, source, task, family, placement.dtype, attentions)
    network, device, notices = _placed(network, model_id, placement, relieve)
    logger.info("loaded %s for %s on %s", model_id, task, device)
    return Resident(
        model_id=model_id,
        task=task,
        family=family,
        network=network,
        tokenizer=tokenizer,
        device=device,
        max_length=_max_length(config, tokenizer, family),
        relieve=relieve,
        disk_bytes=hub.disk_bytes(source),
        notices=notices,
    )


def free_cached_memory() -> None:
    """Give memory that dropped networks held on the accelerator back to it."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _load_network(
    model_id: str,
    source: hub.Source,
    task: Task,
    family: Family,
    dtype: torch.dtype,
    attentions: bool,
) -> Any:
    options = dict(source.options, use_safetensors=True, dtype=dtype)
    if attentions:
        options["attn_implementation"] = "eager"  # sdpa gives back an empty tuple
    try:
        network, report = AUTO_MODELS[task].from_pretrained(
            source.place, output_loading_info=True, ignore_mismatched_sizes=True, **options
        )
    except ValueError as error:
        if "Unrecognized configuration class" not in str(error):
            raise
        raise HeadError(_no_head(model_id, family, task)) from error
    _refuse_untrained(model_id, family, task, report)
    if any(tensor.is_meta for tensor in network.parameters()):
        raise RuntimeError(f"weights of {model_id} never arrived: a load was not locked")
    return network.eval().requires_grad_(False)


def _placed(
    network: Any, model_id: str, placement: Placement, relieve: Callable[[Resident | None], None]
) -> tuple[Any, str, list[str]]:
    """Move `network` to its device: make room and retry once when that is full, then stay."""
    for _ in range(2):
        try:
            return network.to(placement.device), placement.device, []
        except torch.OutOfMemoryError:
            relieve(None)
    notice = f"{model_id} does not fit on {placement.device} and runs on the CPU."
    return network.to("cpu", torch.float32), "cpu", [notice]


def _family_of(config: Any, model_id: str) -> Family:
    family = FAMILIES.get(config.model_type)
    if family is None:
        known = ", ".join(known.name for known in FAMILIES.values())
        raise ModelError(
            f"{model_id} is of the type {config.model_type}, which is none of the encoder "
            f"families shown here ({known}). Choose a model of one of those."
        )
    return family


def _no_head(model_id: str, family: Family, task: Task) -> str:
    reason = family.why_not.get(task, f"{family.name} has no head for {task}.")
    return f"{model_id} cannot be used here. {reason}"


def _refuse_untrained(model_id: str, family: Family, task: Task, report: dict[str, Any]) -> None:
    untrained = set(report["missing_keys"]) | {key[0] for key in report["mismatched_keys"]}
    if task is Task.ENCODER:  # no answer uses the pooler
        untrained = {key for key in untrained if not key.startswith("pooler.")}
    if untrained:
        names = ", ".join(sorted(untrained)[:4]) + (", …" if len(untrained) > 4 else "")
        reason = family.why_not.get(task, "")
        raise HeadError(
            f"{model_id} has no trained head for {task}: {len(untrained)} weights were not in the "
            f"checkpoint ({names}), and what they give would be random. {reason} "
            "Choose another model, or one that was fine-tuned for this."
        )


def _max_length(config: Any, tokenizer: Any, family: Family) -> int:
    positions = int(getattr(config, "max_position_embeddings", None) or 512)
    if family.positions_follow_padding:
        positions -= config.pad_token_id + 1
    return min(int(tokenizer.model_max_length), positions)
