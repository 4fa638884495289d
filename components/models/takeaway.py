"""A trained classifier as a file to take along, which plain transformers loads."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path

import torch
from safetensors.torch import save_file

from components.models.classifiers import Classifier


def write_zip(classifier: Classifier, place: Path, card: str) -> Path:
    """Write weights, description, tokenizer and `card` into `place`; whole or not at all.

    The weights are in half precision, as they answer here; the description has them read as if
    they were whole, so that `AutoModelForSequenceClassification.from_pretrained` answers alike.
    """
    with tempfile.TemporaryDirectory(dir=place.parent) as made:
        folder = Path(made)
        _write_folder(classifier, folder, card)
        whole = folder / "whole.zip.part"
        with zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED) as archive:
            for file in sorted(folder.iterdir()):
                if file != whole:
                    archive.write(file, f"{place.stem}/{file.name}")
        return whole.replace(place)


def _write_folder(classifier: Classifier, folder: Path, card: str) -> None:
    network, checkpoint = classifier.network, classifier.encoder._resident.checkpoint
    tensors = {name: _half(tensor) for name, tensor in network.state_dict().items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    network.config.to_json_file(folder / "config.json")
    with checkpoint.tokenizer_lock:
        checkpoint.tokenizer.save_pretrained(folder)
    (folder / "README.md").write_text(card, encoding="utf-8")


def _half(tensor: torch.Tensor) -> torch.Tensor:
    kept = tensor.detach().half() if tensor.is_floating_point() else tensor.detach()
    return kept.to("cpu").clone().contiguous()
