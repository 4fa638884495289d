"""A few sentences that a miniature must get right; none of them was trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from components.training.answering import answers
from components.training.networks import (
    ENTITIES,
    MASKED,
    ORDER,
    PAIRS,
    QUESTIONS,
    REPLACED,
    SENTIMENT,
    Batch,
    Network,
    on_device,
)
from components.training.two_heads import ENTITY_LABELS


@dataclass(frozen=True)
class Probe:
    """What is asked, and the answers that pass."""

    head: str
    texts: tuple[str, ...]
    accepted: tuple[str, ...]  # none: for the eye only


PASSAGE = (
    "Transformers are deep learning models that use self-attention to process sequences "
    "efficiently."
)
PROBES = (
    Probe(MASKED, ("Paris is the [MASK] of France.",), ("capital",)),
    Probe(MASKED, ("The capital of France is [MASK].",), ("paris",)),
    Probe(
        MASKED,
        ("The cat sat on the [MASK].",),
        ("floor", "chair", "table", "bed", "ground", "couch", "sofa", "mat", "bench"),
    ),
    Probe(MASKED, ("She drank a cup of [MASK].",), ("tea", "coffee")),
    Probe(MASKED, ("The bank is near the [MASK].",), ()),
    Probe(PAIRS, ("The weather is nice today.", "Let's go for a walk."), ("follows",)),
    Probe(
        PAIRS,
        ("The weather is nice today.", "Python is a programming language."),
        ("does not follow",),
    ),
    Probe(SENTIMENT, ("This course is excellent.",), ("POSITIVE",)),
    Probe(SENTIMENT, ("The service was disappointing.",), ("NEGATIVE",)),
    Probe(SENTIMENT, ("Learning Transformers is enjoyable.",), ("POSITIVE",)),
    Probe(QUESTIONS, ("What mechanism do Transformers use?", PASSAGE), ("self-attention",)),
    Probe(ENTITIES, ("Marie Curie was born in Warsaw.",), ()),
    Probe(ENTITIES, ("Angela Merkel met the managers of Siemens in Berlin.",), ()),
    Probe(ORDER, ("She opened the fridge.", "There was no milk left."), ()),
    Probe(ORDER, ("There was no milk left.", "She opened the fridge."), ()),
    Probe(REPLACED, ("The cat sat on tree.",), ()),
    Probe(REPLACED, ("The chef ate the meal in the kitchen.",), ()),
)
OUTCOMES = {
    PAIRS: ("follows", "does not follow"),
    ORDER: ("in order", "swapped"),
    SENTIMENT: ("NEGATIVE", "POSITIVE"),
}


def run_probes(network: Network, tokenizer: Any) -> list[dict[str, Any]]:
    """Answer every probe that the network has a head for."""
    network.train(False)
    with torch.inference_mode():
        return [
            {"head": probe.head, "texts": probe.texts, **_answer(network, tokenizer, probe)}
            for probe in PROBES
            if probe.head in network.heads
        ]


def _answer(network: Network, tokenizer: Any, probe: Probe) -> dict[str, Any]:
    if probe.head == QUESTIONS:
        question, context = probe.texts
        answer, _ = answers(network, [{"question": question, "context": context}], tokenizer)[0]
        return {"answers": {answer: None}, "passed": answer in probe.accepted}
    texts = [text.replace("[MASK]", str(tokenizer.mask_token)) for text in probe.texts]
    batch = dict(tokenizer(*texts, return_tensors="pt", return_token_type_ids=True))
    batch = on_device(network, batch)
    names, scores = ANSWERERS.get(probe.head, _labels)(network, tokenizer, probe, batch)
    found = dict(zip(names, [round(score, 4) for score in scores], strict=True))
    looked_at = [n.lower() for n in names] if probe.head == MASKED else names[:1]
    passed = not probe.accepted or bool(set(looked_at) & set(probe.accepted))
    return {"answers": found, "passed": passed}


Answered = tuple[list[str], list[float]]


def _words(network: Network, tokenizer: Any, probe: Probe, batch: Batch) -> Answered:
    del probe
    position = (batch["input_ids"][0] == tokenizer.mask_token_id).nonzero()[0, 0]
    vectors = network.encode(batch)[0, position]
    scores, ids = network.mask_logits(vectors).softmax(-1).topk(5)
    names = tokenizer.convert_ids_to_tokens(ids.tolist())
    return [name.lstrip("Ġ▁") or name for name in names], scores.tolist()


def _suspicion(network: Network, tokenizer: Any, probe: Probe, batch: Batch) -> Answered:
    del probe
    scores = network.replaced_logits(network.encode(batch))[0].sigmoid()
    names = tokenizer.convert_ids_to_tokens(batch["input_ids"][0].tolist())
    numbered = [f"{number} {name}" for number, name in enumerate(names)][1:-1]
    return numbered, scores.tolist()[1:-1]


def _entities(network: Network, tokenizer: Any, probe: Probe, batch: Batch) -> Answered:
    del probe
    scores, ids = network.entity_logits(network.encode(batch))[0].softmax(-1).max(-1)
    names = tokenizer.convert_ids_to_tokens(batch["input_ids"][0].tolist())
    best = zip(range(len(names)), names, ids.tolist(), scores.tolist(), strict=True)
    found = [(f"{at} {name} {ENTITY_LABELS[i]}", score) for at, name, i, score in best if i]
    return [name for name, _ in found], [score for _, score in found]


def _labels(network: Network, tokenizer: Any, probe: Probe, batch: Batch) -> Answered:
    del tokenizer
    hidden = network.encode(batch)
    if probe.head == SENTIMENT:
        logits = network.sentiment_logits(hidden)
    else:
        logits = network.pair_logits(hidden)
    scores, ids = logits[0].softmax(-1).sort(descending=True)
    return [OUTCOMES[probe.head][i] for i in ids.tolist()], scores.tolist()


ANSWERERS = {MASKED: _words, REPLACED: _suspicion, ENTITIES: _entities}
