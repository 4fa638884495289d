from __future__ import annotations

import torch
from torch import Tensor

from components.training.growing import albert_of
from components.training.shared_layer import SHARED, shared_layer
from tests import fakes
from tests.training import tiny


def test_made_of_one_layer_it_is_that_layer() -> None:
    bert, recipe = tiny.bert().eval(), tiny.recipe("albert-mini")
    albert = albert_of(recipe, bert, tiny.tokenizer(recipe), fakes.tokenizer_of("bert")).eval()
    hidden = torch.randn(2, 5, tiny.HIDDEN)
    layer = albert.albert.encoder.albert_layer_groups[0].albert_layers[0]
    torch.testing.assert_close(
        _first(layer(hidden)), _first(bert.bert.encoder.layer[0](hidden)), atol=1e-5, rtol=1e-4
    )


def _first(given: Tensor | tuple[Tensor, ...]) -> Tensor:
    return given[0] if isinstance(given, tuple) else given


def test_made_of_two_it_has_the_neurons_of_both_and_their_heads_in_turn() -> None:
    bert = tiny.bert()
    found, prefix = shared_layer(bert, (0, 1)), SHARED.format(0)
    one, two = bert.bert.encoder.layer
    inner = torch.cat([one.intermediate.dense.weight, two.intermediate.dense.weight])
    torch.testing.assert_close(found[f"{prefix}.ffn.weight"], inner)
    width = tiny.HIDDEN // bert.config.num_attention_heads
    query = found[f"{prefix}.attention.query.weight"]
    torch.testing.assert_close(query[:width], one.attention.self.query.weight[:width])
    torch.testing.assert_close(
        query[width : 2 * width], two.attention.self.query.weight[width : 2 * width]
    )
    output = found[f"{prefix}.attention.dense.weight"]
    torch.testing.assert_close(
        output[:, width : 2 * width], two.attention.output.dense.weight[:, width : 2 * width]
    )
