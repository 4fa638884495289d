"""From a checkpoint to a network with its head, on its device and ready to answer.

Slow to import (torch and transformers), so the manager imports it when the first model is asked
for. Whatever transformers would let pass in silence is refused here: an untrained head, weights
that do not fit, weights that never arrived.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from safetensors import SafetensorError

from components.config import Settings
from components.errors import CheckpointError, HeadError
from components.models import gate, hub, libraries
from components.models.checkpoint import LOAD_LOCK, READING, Checkpoint
from components.models.families import Task
from components.models.fetching import Fetches, Tell
from components.models.resident import Resident, is_out_of_memory
from components.models.sharing import return_freed_memory
from components.models.troubles import explained, sentence

logger = logging.getLogger(__name__)

AUTO_MODELS: dict[Task, Any] = {
    Task.FILL_MASK: libraries.AutoModelForMaskedLM,
    Task.NEXT_SENTENCE: libraries.AutoModelForNextSentencePrediction,
    Task.SENTIMENT: libraries.AutoModelForSequenceClassification,
    Task.QUESTION_ANSWERING: libraries.AutoModelForQuestionAnswering,
    Task.TOKEN_CLASSIFICATION: libraries.AutoModelForTokenClassification,
    Task.ENCODER: libraries.AutoModel,
}
# Heads that one family alone has; AutoModelForPreTraining would give others in silence.
OWN_MODELS: dict[Task, Any] = {
    Task.SENTENCE_ORDER: libraries.AlbertForPreTraining,
    Task.REPLACED_TOKENS: libraries.ElectraForPreTraining,
}
# Heads whose weights may be alike in name and shape: what a checkpoint was saved as tells which.
SAVED_AS: dict[Task, str] = {
    Task.SENTIMENT: "ForSequenceClassification",
    Task.TOKEN_CLASSIFICATION: "ForTokenClassification",
}


def network_class(task: Task, config: Any) -> Any | None:
    """Give the class that loads a head for `task`, or None where the family has no such head."""
    own = OWN_MODELS.get(task)
    if own is not None:
        return own if isinstance(config, own.config_class) else None
    return AUTO_MODELS[task] if type(config) in AUTO_MODELS[task]._model_mapping else None


class _Nothing(torch.nn.Module):
    """Stands in for a head whose answer nobody asks for."""

    def forward(self, _hidden: torch.Tensor) -> None:
        """Give no output, so that none is handed out."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where networks run, and in which precision."""

    device: str
    dtype: torch.dtype
    notices: tuple[str, ...] = ()

    @property
    def precision(self) -> str:
        """The dtype's name, as in "float32"."""
        return str(self.dtype).removeprefix("torch.")


def find_placement(settings: Settings) -> Placement:
    """Choose cuda, then mps, then cpu, and float32, unless the settings say otherwise.

    Half precision would be no gain here (encoders are small) and would show: rows of attention
    sum to 0.998 in bfloat16 and to 0.9996 in float16, and an answer changes with its neighbours
    in the batch.
    """
    best = _best_device()
    device = settings.device or best
    notices: tuple[str, ...] = ()
    if not _is_there(device):
        notices = (f"This machine has no {device} device: running on {best}.",)
        device = best
    return Placement(device, getattr(torch, settings.precision or "float32"), notices)


def _best_device() -> str:
    return next(device for device in ("cuda", "mps", "cpu") if _is_there(device))


def _is_there(device: str) -> bool:
    kind, _, index = device.partition(":")
    if kind == "cuda":
        return torch.cuda.is_available() and int(index or 0) < torch.cuda.device_count()
    return kind == "cpu" or torch.backends.mps.is_available()


def fetch_weights(
    checkpoint: Checkpoint, task: Task, settings: Settings, fetches: Fetches, tell: Tell
) -> None:
    """Fetch the weights of `checkpoint` unless they are there, telling how far it is.

    What cannot work is refused before. Raises HeadError, CheckpointError, or what `tell` raises.
    """
    kind = network_class(task, checkpoint.config)
    if kind is None:
        raise HeadError(_no_head(checkpoint, task))
    _refuse_mistaken(checkpoint, task)
    if checkpoint.is_bundled:
        return
    timeout, folder = settings.hub_timeout, checkpoint.folder
    files = hub.missing_weights(checkpoint.model_id, folder, timeout)
    if not files:
        return
    with LOAD_LOCK, explained(checkpoint.model_id, folder), torch.device("meta"):
        network = getattr(kind, "from_config", kind)(checkpoint.config)  # an Auto class makes none
    size = max(gate.size_in_memory(network), sum(file.size for file in files))
    gate.refuse_giant(checkpoint.model_id, size, settings.memory_limit)
    gate.refuse_for_disk(files, folder)
    gate.refuse_headless(files, timeout, network, checkpoint.family, task)
    fetches.wait(folder, files, timeout, tell)


def load_resident(
    checkpoint: Checkpoint,
    task: Task,
    placement: Placement,
    *,
    attentions: bool = False,
    relieve: Callable[[str], None] = lambda _: None,
) -> Resident:
    """Load `checkpoint` with its head for `task`.

    With `attentions` the network computes attention the plain way, so that its weights can be
    seen. `relieve` frees the memory of a kind of device. Raises HeadError or CheckpointError.
    """
    if network_class(task, checkpoint.config) is None:
        raise HeadError(_no_head(checkpoint, task))
    _refuse_mistaken(checkpoint, task)
    with LOAD_LOCK:
        network = _read_sound(checkpoint, task, placement.dtype, attentions)
        network, notices = _placed(network, checkpoint.model_id, placement, relieve)
        checkpoint.pool.share(network)
    return_freed_memory()
    logger.info("loaded %s for %s on %s", checkpoint.model_id, task, network.device)
    return Resident(checkpoint, task, network, relieve, [*checkpoint.notices, *notices])


def free_cached_memory() -> None:
    """Give memory that dropped networks held on the accelerator back to it."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    if torch.backends.mps.is_available():
        torch.mps.empty_cache()


def _read_sound(checkpoint: Checkpoint, task: Task, dtype: torch.dtype, attentions: bool) -> Any:
    """Read a network; weights of the Hub that turn out to be damaged are fetched anew next time."""
    try:
        return _read_network(checkpoint, task, dtype, attentions)
    except CheckpointError as error:
        if isinstance(error.__cause__, SafetensorError) and not checkpoint.is_bundled:
            hub.forget_weights(checkpoint.folder)
        raise


def _read_network(checkpoint: Checkpoint, task: Task, dtype: torch.dtype, attentions: bool) -> Any:
    options = dict(READING, use_safetensors=True, dtype=dtype)  # a pickle is never opened
    if attentions:
        options["attn_implementation"] = "eager"  # sdpa gives back an empty tuple
    options |= _labels(checkpoint.config, task)
    kind: Any = network_class(task, checkpoint.config)
    with explained(checkpoint.model_id, checkpoint.folder):
        network, report = kind.from_pretrained(
            checkpoint.folder, output_loading_info=True, ignore_mismatched_sizes=True, **options
        )
        encoder = "" if task is Task.ENCODER else f"{network.base_model_prefix}."
        _refuse_mismatched(checkpoint, report, encoder)
        _refuse_untrained(checkpoint, task, report, encoder)
    if any(tensor.is_meta for tensor in (*network.parameters(), *network.buffers())):
        raise RuntimeError(f"weights of {checkpoint.model_id} never arrived: a load was not locked")
    if task is Task.SENTENCE_ORDER:  # its class also scores the whole vocabulary at every token
        network.predictions = _Nothing()
    return network.eval().requires_grad_(False)


def _labels(config: Any, task: Task) -> dict[str, Any]:
    """Give the labels of a head where they are not those that config.json has for whole texts."""
    if task is Task.QUESTION_ANSWERING:  # start and end; DistilBERT's class takes no other number
        return {"num_labels": 2}
    labels = getattr(config, "entity_labels", None) if task is Task.TOKEN_CLASSIFICATION else None
    if not isinstance(labels, list) or not labels:
        return {}
    id2label = {number: str(label) for number, label in enumerate(labels)}
    return {"id2label": id2label, "label2id": {label: i for i, label in id2label.items()}}


def _placed(
    network: Any, model_id: str, placement: Placement, relieve: Callable[[str], None]
) -> tuple[Any, list[str]]:
    """Move `network` to its device: make room and retry once when that is full, then stay."""
    for _ in range(2):
        try:
            return network.to(placement.device), []
        except RuntimeError as error:
            if not is_out_of_memory(error):
                raise
        relieve(torch.device(placement.device).type)
    notice = f"{model_id} does not fit on {placement.device} and runs on the CPU."
    return network.to("cpu", torch.float32), [notice]


def _no_head(checkpoint: Checkpoint, task: Task) -> str:
    family = checkpoint.family
    reason = family.why_not.get(task, f"{family.name} has no head for {task}.")
    return f"{checkpoint.model_id} cannot be used here. {reason}"


def _refuse_mistaken(checkpoint: Checkpoint, task: Task) -> None:
    """Refuse a head that was saved as another one: it would load, and its labels be nonsense."""
    saved = [str(name) for name in checkpoint.config.architectures or ()]
    if task not in SAVED_AS or any(name.endswith(SAVED_AS[task]) for name in saved):
        return
    other = next((name for name in saved if name.endswith(tuple(SAVED_AS.values()))), None)
    if other is not None:
        reason = checkpoint.family.why_not.get(task, "")
        trouble = f"has no trained head for {task}: it was saved as {other}."
        advice = f"{reason} Choose another model, or one that was fine-tuned for this.".strip()
        raise HeadError(sentence(checkpoint.model_id, trouble, advice))


def _refuse_mismatched(checkpoint: Checkpoint, report: dict[str, Any], encoder: str) -> None:
    for name, stored, expected in sorted(report["mismatched_keys"]):
        if not encoder and name.startswith("pooler."):  # no answer of a bare encoder uses it
            continue
        trouble = (
            f"does not fit its config.json: {name} is {tuple(stored)} in the checkpoint and should "
            f"be {tuple(expected)}."
        )
        kind = CheckpointError if name.startswith(encoder) else HeadError
        raise kind(sentence(checkpoint.model_id, trouble))


def _refuse_untrained(
    checkpoint: Checkpoint, task: Task, report: dict[str, Any], encoder: str
) -> None:
    missing = set(report["missing_keys"])
    if task is Task.ENCODER:  # no answer uses the pooler
        missing = {name for name in missing if not name.startswith("pooler.")}
    if not missing:
        return
    names = sorted(missing, key=lambda name: (name.startswith(encoder), name))  # the head first
    shown = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
    what = f"{len(names)} weights were not in the checkpoint ({shown})"
    if any(name.startswith(encoder) and ".pooler." not in name for name in names):
        raise CheckpointError(sentence(checkpoint.model_id, f"is incomplete: {what}."))
    reason = checkpoint.family.why_not.get(task, "")
    trouble = f"has no trained head for {task}: {what}, and what they give would be random."
    advice = f"{reason} Choose another model, or one that was fine-tuned for this.".strip()
    raise HeadError(sentence(checkpoint.model_id, trouble, advice))
