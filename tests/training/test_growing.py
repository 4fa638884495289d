from __future__ import annotations

import pytest
import torch

from components.training.generator import start_generator
from components.training.growing import distilbert_of, electra_of, roberta_of
from components.training.networks import ElectraPair
from components.training.vocabularies import transplanted
from tests import fakes
from tests.training import tiny


def test_an_electra_begins_with_bert_s_own_vectors() -> None:
    bert = tiny.bert().eval()
    pair = electra_of(tiny.recipe("electra-mini"), bert).eval()
    batch = tiny.objectives(tiny.recipe())["pairs"].batch(0)
    torch.testing.assert_close(pair.encode(batch), bert.encode(batch), atol=1e-5, rtol=1e-4)
    vectors = torch.randn(3, tiny.HIDDEN)
    torch.testing.assert_close(
        pair.generator.mask_logits(vectors),
        bert.mask_logits(vectors) - bert.cls.predictions.bias,  # ELECTRA's output has its own bias
    )


def test_the_generator_and_the_discriminator_share_their_token_vectors() -> None:
    pair, _ = tiny.network(tiny.recipe("electra-mini"))
    assert isinstance(pair, ElectraPair)
    ours = pair.discriminator.electra.embeddings.word_embeddings.weight
    assert pair.generator.electra.embeddings.word_embeddings.weight is ours
    assert pair.generator.generator_lm_head.weight is ours


def test_a_roberta_thinks_what_bert_thinks_of_the_same_vectors() -> None:
    bert, recipe = tiny.bert().eval(), tiny.recipe("roberta-mini")
    parent, tokenizer = fakes.tokenizer_of("bert"), tiny.tokenizer(recipe)
    roberta = roberta_of(recipe, bert, tokenizer, parent).eval()
    ids = torch.tensor([tokenizer("the river ran past the mill")["input_ids"]])
    words = bert.bert.embeddings.word_embeddings.weight
    vectors, _ = transplanted(tokenizer, parent, words, bert.cls.predictions.bias)
    expected = bert.bert(inputs_embeds=vectors[ids]).last_hidden_state
    found = roberta.encode({"input_ids": ids, "attention_mask": torch.ones_like(ids)})
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("family", ["roberta", "albert", "deberta-v2"])
def test_a_token_begins_as_the_mean_of_its_pieces(family: str) -> None:
    parent, tokenizer = fakes.tokenizer_of("bert"), fakes.tokenizer_of(family)
    words, bias = torch.randn(len(parent), 4), torch.randn(len(parent))
    vectors, biases = transplanted(tokenizer, parent, words, bias)
    for word in ("river", "the", "unhappiness"):
        (number, *rest) = tokenizer(f" {word}", add_special_tokens=False)["input_ids"]
        if rest:
            continue
        pieces = parent(word, add_special_tokens=False)["input_ids"]
        torch.testing.assert_close(vectors[number], words[pieces].mean(0))
        lost = len(pieces) - 1
        torch.testing.assert_close(biases[number], bias[pieces].mean() - lost)
    torch.testing.assert_close(vectors[tokenizer.mask_token_id], words[parent.mask_token_id])
    assert vectors.isfinite().all()


def test_a_generator_begins_with_what_a_distilbert_guesses() -> None:
    bert, recipe = tiny.bert().eval(), tiny.recipe("electra-mini")
    small = distilbert_of(tiny.recipe("distilbert-mini"), bert).eval()
    for weight in small.parameters():
        weight.data += 0.02 * torch.randn(weight.shape)
    pair = electra_of(recipe, bert).eval()
    start_generator(pair.generator, small)
    shared = pair.generator.electra.embeddings.word_embeddings.weight
    shared.data.copy_(small.distilbert.embeddings.word_embeddings.weight)
    batch = tiny.objectives(tiny.recipe())["pairs"].batch(0)
    found = pair.generator.mask_logits(pair.generator.encode(batch))
    expected = small.mask_logits(small.encode(batch))
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)
