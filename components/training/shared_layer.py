"""What ALBERT's one layer starts as: several layers of BERT in one.

Its inner vector holds the neurons of all of them, and its attention heads are theirs in turn. So it
finds what each of them finds; what to make of it at which step is left to training.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from components.training.networks import BertWithHeads
from components.training.weight_names import LAYERS

SHARED = "albert.encoder.albert_layer_groups.{}.albert_layers.0"


def shared_layer(bert: BertWithHeads, kept: Sequence[int]) -> dict[str, Tensor]:
    """Give the weights of ALBERT's layer, made of the layers `kept` of `bert`."""
    weights = bert.state_dict()
    layers = [f"bert.encoder.layer.{number}." for number in kept]
    width = int(bert.config.hidden_size) // int(bert.config.num_attention_heads)
    found = {
        f"{name}.{kind}": _joined(
            name, kind, [weights[f"{at}{name}.{kind}"] for at in layers], width
        )
        for name in LAYERS[SHARED]
        for kind in ("weight", "bias")
    }
    return _renamed(found)


def _joined(name: str, kind: str, parts: list[Tensor], width: int) -> Tensor:
    if name == "intermediate.dense":
        return torch.cat(parts)
    if name == "output.dense" and kind == "weight":
        joined: Tensor = torch.cat(parts, dim=1) / len(parts) ** 0.5  # all speak at every step now
        return joined
    if name.startswith("attention.self."):
        return _in_turn(parts, width)
    if name == "attention.output.dense" and kind == "weight":
        return _in_turn([part.T for part in parts], width).transpose(0, 1)
    return torch.stack(parts).mean(0)


def _in_turn(parts: list[Tensor], width: int) -> Tensor:
    """Take the n-th head's rows from the n-th layer, round and round."""
    found = parts[0].clone()
    for head in range(len(found) // width):
        rows = slice(head * width, (head + 1) * width)
        found[rows] = parts[head % len(parts)][rows]
    return found


def _renamed(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    prefix, names = SHARED.format(0), LAYERS[SHARED]
    return {
        f"{prefix}.{names[name]}.{kind}": tensor
        for (name, _, kind), tensor in ((key.rpartition("."), t) for key, t in weights.items())
    }
