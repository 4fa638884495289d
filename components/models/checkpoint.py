"""Checkpoint: what the heads of one checkpoint have in common, read once for all of them."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from components.config import Settings
from components.errors import CheckpointError, ModelError
from components.models import gate, hub
from components.models.catalog import find_card
from components.models.families import FAMILIES, Family
from components.models.full_size import read_pins
from components.models.libraries import AutoConfig, AutoModel
from components.models.sharing import Pool
from components.models.tokenizers import load_tokenizer
from components.models.troubles import explained, sentence

# Two overlapping from_pretrained calls damage the process for good: no_tie_weights() swaps
# PreTrainedModel.tie_weights for the whole class (transformers PR 44940). One lock round them all.
LOAD_LOCK = threading.Lock()

# What every from_pretrained is given: no file is fetched, no stranger's code is run.
READING: dict[str, Any] = {"trust_remote_code": False, "local_files_only": True}

_MAX_LAYERS = 200  # the deepest published encoder has 48; more is a mistake or a prank


@dataclass(slots=True, eq=False, weakref_slot=True)
class Checkpoint:
    """A checkpoint in a folder: its description and its tokenizer; the weights come by head."""

    model_id: str
    folder: Path
    is_bundled: bool
    config: Any
    family: Family
    tokenizer: Any
    notices: tuple[str, ...] = ()
    tokenizer_lock: threading.Lock = field(default_factory=threading.Lock)
    pool: Pool = field(default_factory=Pool)

    @property
    def has_segments(self) -> bool:
        """Whether the network tells a first text from a second by token_type_ids."""
        return self.family.has_segments and self.config.type_vocab_size > 1

    @property
    def max_length(self) -> int:
        """Tokens of one input, special ones included."""
        positions = int(getattr(self.config, "max_position_embeddings", None) or 512)
        if self.family.positions_follow_padding:
            positions -= (self.config.pad_token_id or 0) + 1
        said = int(self.tokenizer.model_max_length or 0)
        specials = int(self.tokenizer.num_special_tokens_to_add(pair=True))
        return min(said, positions) if said > specials else positions


def open_checkpoint(model_id: str, settings: Settings) -> Checkpoint:
    """Open a bundled checkpoint, or one of the Hub, whose description is fetched if need be.

    Raises UnknownModelError, CheckpointError or ModelError, each with what to do.
    """
    card = find_card(model_id)
    if card is not None:
        if not card.is_shipped and not (settings.models_dir / card.id).is_dir():
            advice = "Choose another model, or type an id of the Hub."
            raise ModelError(sentence(model_id, "is still in training here.", advice))
        return read_checkpoint(model_id, settings.models_dir / card.id, is_bundled=True)
    folder = hub.fetch_config(model_id, settings.hub_timeout, read_pins().get(model_id))
    size = _size_in_memory(model_id, folder)  # before anything else is fetched
    gate.refuse_giant(model_id, size, settings.memory_limit)
    folder = hub.fetch_conversion(model_id, folder, settings.hub_timeout)
    hub.fetch_vocabulary(model_id, folder)
    checkpoint = read_checkpoint(model_id, folder, is_bundled=False)
    proposal = hub.conversion_of(folder)
    if proposal is not None:
        checkpoint.notices = (*checkpoint.notices, _converted(model_id, proposal))
    return checkpoint


def read_checkpoint(model_id: str, folder: Path, *, is_bundled: bool = True) -> Checkpoint:
    """Read a folder that is known to be allowed, as `open_checkpoint` does."""
    if not (folder / "config.json").is_file():  # else transformers takes its name for a Hub id
        advice = "Install the app again." if is_bundled else "Choose another model."
        raise CheckpointError(sentence(model_id, "has no config.json.", advice))
    with LOAD_LOCK, explained(model_id, folder):
        config, family = _read_config(model_id, folder)
        tokenizer, notices = load_tokenizer(folder, config, model_id, READING)
    return Checkpoint(model_id, folder, is_bundled, config, family, tokenizer, notices)


def _family_of(config: Any, model_id: str) -> Family:
    family = FAMILIES.get(config.model_type)
    if family is None:
        known = ", ".join(known.name for known in FAMILIES.values())
        raise ModelError(
            f"{model_id} is of the type {config.model_type}, which is none of the encoder "
            f"families shown here ({known}). Choose a model of one of those."
        )
    return family


def _read_config(model_id: str, folder: Path) -> tuple[Any, Family]:
    config = AutoConfig.from_pretrained(folder, **READING)
    return config, _family_of(config, model_id)


def _size_in_memory(model_id: str, folder: Path) -> int:
    """Count the bytes that the encoder will take, before any weights are fetched."""
    with LOAD_LOCK, explained(model_id, folder):
        config, _ = _read_config(model_id, folder)
        layers = config.num_hidden_layers
        if not 0 < layers <= _MAX_LAYERS:
            raise CheckpointError(sentence(model_id, f"says that it has {layers} layers."))
        with torch.device("meta"):
            network = AutoModel.from_config(  # type: ignore[no-untyped-call]
                config, trust_remote_code=False
            )
    return gate.size_in_memory(network)


def _converted(model_id: str, proposal: str) -> str:
    return (
        f"{model_id} itself has pickled weights only: these are the safetensors that the Hub's bot "
        f"made of them ({proposal})."
    )
