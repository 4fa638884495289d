"""Train the vectors of the tokens that occur, and carry the others along for nothing.

Of a token that never occurs no gradient comes, so the result is the same; but half of a
miniature's weights are a table of vectors, and most of a step would go into moving it about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch


@contextmanager
def few_words(network: Any, token_ids: Iterable[int]) -> Iterator[None]:
    """Let `network` have vectors for `token_ids` alone; at the end the whole table is back.

    The padding must be among them. The table must be the network's own: it is changed.
    """
    embedding = network.get_input_embeddings()
    whole, padding = embedding.weight, embedding.padding_idx
    used = torch.tensor(sorted(set(token_ids)), device=whole.device)
    places = torch.zeros(len(whole), dtype=torch.long, device=whole.device)
    places[used] = torch.arange(len(used), device=whole.device)
    embedding.weight = torch.nn.Parameter(whole.detach()[used], whole.requires_grad)
    embedding.padding_idx = None if padding is None else int(places[padding])
    hook = embedding.register_forward_pre_hook(lambda _module, given: (places[given[0]],))
    try:
        yield
    finally:
        hook.remove()
        with torch.no_grad():
            whole[used] = embedding.weight
        embedding.weight, embedding.padding_idx = whole, padding
