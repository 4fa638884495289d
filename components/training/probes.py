"""A few sentences that a miniature must get right; none of them was trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from components.training.evaluate import answers, on_device
from components.training.networks import BertWithHeads, Network


@dataclass(frozen=True)
class Probe:
    """What is asked, and the answers that pass."""

    task: str
    texts: tuple[str, ...]
    accepted: tuple[str, ...]  # none: for the eye only


FILL, PAIR, LABEL, ASK = "fill-mask", "next-sentence", "sentiment", "question-answering"
PASSAGE = (
    "Transformers are deep learning models that use self-attention to process sequences "
    "efficiently."
)
PROBES = (
    Probe(FILL, ("Paris is the [MASK] of France.",), ("capital",)),
    Probe(FILL, ("The capital of France is [MASK].",), ("paris",)),
    Probe(
        FILL,
        ("The cat sat on the [MASK].",),
        ("floor", "chair", "table", "bed", "ground", "couch", "sofa", "mat", "bench"),
    ),
    Probe(FILL, ("She drank a cup of [MASK].",), ("tea", "coffee")),
    Probe(FILL, ("The bank is near the [MASK].",), ()),
    Probe(PAIR, ("The weather is nice today.", "Let's go for a walk."), ("follows",)),
    Probe(
        PAIR,
        ("The weather is nice today.", "Python is a programming language."),
        ("does not follow",),
    ),
    Probe(LABEL, ("This course is excellent.",), ("POSITIVE",)),
    Probe(LABEL, ("The service was disappointing.",), ("NEGATIVE",)),
    Probe(LABEL, ("Learning Transformers is enjoyable.",), ("POSITIVE",)),
    Probe(ASK, ("What mechanism do Transformers use?", PASSAGE), ("self-attention",)),
)


def run_probes(network: Network, tokenizer: Any) -> list[dict[str, Any]]:
    """Answer every probe that the network has a head for."""
    network.train(False)
    with torch.inference_mode():
        return [
            {"task": probe.task, "texts": probe.texts, **_answer(network, tokenizer, probe)}
            for probe in PROBES
            if probe.task != PAIR or isinstance(network, BertWithHeads)
        ]


def _answer(network: Network, tokenizer: Any, probe: Probe) -> dict[str, Any]:
    if probe.task == ASK:
        question, context = probe.texts
        answer, _ = answers(network, [{"question": question, "context": context}], tokenizer)[0]
        return {"answers": {answer: None}, "passed": answer in probe.accepted}
    batch = dict(tokenizer(*probe.texts, return_tensors="pt", return_token_type_ids=True))
    batch = on_device(network, batch)
    hidden = network.encode(batch)
    if probe.task == FILL:
        position = (batch["input_ids"][0] == tokenizer.mask_token_id).nonzero()[0, 0]
        scores, ids = network.mask_logits(hidden[0, position]).softmax(-1).topk(5)
        names = tokenizer.convert_ids_to_tokens(ids.tolist())
    else:
        logits = _label_logits(network, probe, hidden)
        scores, ids = logits[0].softmax(-1).sort(descending=True)
        labels = ("follows", "does not follow") if probe.task == PAIR else ("NEGATIVE", "POSITIVE")
        names = [labels[i] for i in ids.tolist()]
    found = dict(zip(names, [round(score, 4) for score in scores.tolist()], strict=True))
    looked_at = names if probe.task == FILL else names[:1]
    passed = not probe.accepted or bool(set(looked_at) & set(probe.accepted))
    return {"answers": found, "passed": passed}


def _label_logits(network: Network, probe: Probe, hidden: torch.Tensor) -> torch.Tensor:
    if probe.task == PAIR:
        assert isinstance(network, BertWithHeads)
        return network.pair_logits(hidden)
    return network.sentiment_logits(hidden)
