"""Attention put together: word pieces into words, heads into one, layers into a rollout."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float32]
Groups = Sequence[Sequence[int]]  # positions that are taken together, in their order


class Mix(StrEnum):
    """What is looked at: one head, or several put together."""

    HEAD = "head"
    MEAN = "mean"  # over the heads of the layer
    MAX = "max"  # over the heads of the layer: its rows sum to more than one
    ROLLOUT = "rollout"  # from the layer's output down to the tokens


def join(weights: Weights, groups: Groups) -> Weights:
    """Take positions together, (..., queries, keys) to (..., groups, groups).

    Attention to a group is the sum over its keys, attention from it the mean over its queries
    (Clark et al. 2019, 4.1), so rows that sum to one still do.
    """
    member = np.zeros((len(groups), weights.shape[-1]), dtype=np.float32)  # (groups, positions)
    for row, positions in enumerate(groups):
        member[row, list(positions)] = 1
    mean = member / member.sum(axis=1, keepdims=True)
    joined: Weights = mean @ weights @ member.T
    return joined


def blocks(count: int, most: int) -> Groups:
    """Cut `count` positions into at most `most` stretches of like length."""
    edges = np.linspace(0, count, min(count, most) + 1).round().astype(int)
    return [range(int(a), int(b)) for a, b in pairwise(edges)]


def mix(heads: Weights, how: Mix) -> Weights:
    """Put the heads of one layer together, (heads, queries, keys) to (queries, keys)."""
    mixed: Weights = heads.max(axis=0) if how is Mix.MAX else heads.mean(axis=0)
    return mixed


def rollout(attention: Weights) -> Weights:
    """Follow attention through layers, (layers, heads, queries, keys) to (queries, keys).

    A token keeps half of itself in every layer, the residual connection; the lowest layer is
    multiplied from the right, so that a row says from which tokens of the text a position of the
    last layer given was fed (Abnar & Zuidema 2020, 3).
    """
    itself = np.eye(attention.shape[-1], dtype=np.float32)
    flow = itself
    for layer in attention:
        passed = 0.5 * layer.mean(axis=0) + 0.5 * itself  # (queries, keys)
        flow = (passed / passed.sum(axis=-1, keepdims=True)) @ flow
    return flow
