"""The card of a miniature: training.json for the app, README.md for people."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import transformers

from components.models.families import FAMILIES
from components.training.loop import Training
from components.training.networks import ENTITIES
from components.training.recipes import Recipe

Figures = dict[str, float]
FACTS = "training.json"

SOURCES = {
    "wikipedia": ("English Wikipedia (2014), beginnings of central articles", "CC BY-SA"),
    "vital_leads": ("English Wikipedia (2026), leads of the vital articles", "CC BY-SA 4.0"),
    "wikinews": ("Wikinews 2004–2021", "CC BY 2.5"),
    "novels": ("English novels 1840–1939", "nearly all out of copyright"),
    "stories": ("African Storybook, children's stories", "CC BY"),
    "masc": ("MASC, mixed written and spoken genres", "free for research and commerce"),
    "openstax": ("OpenStax, U.S. History and Astronomy", "CC BY 4.0"),
    "squad": ("passages of SQuAD 1.1 (Rajpurkar et al. 2016)", "CC BY-SA 4.0"),
    "reviews": ("sentences of film reviews (Pang and Lee 2005)", "CC BY 4.0"),
}
LABELLED = (
    ("SQuAD 1.1 questions, clean rows of the training titles", "CC BY-SA 4.0"),
    ("SQuAD 2.0 questions, half of the titles of half of its development set", "CC BY-SA 4.0"),
    ("SST-2 (Socher et al. 2013)", "none stated; built on film reviews under CC BY 4.0"),
)
ENTITY_SOURCES = (
    ("WikiGold (Balasuriya et al. 2009), the first four fifths", "CC BY 4.0"),
    (
        "WNUT-17 (Derczynski et al. 2017), training and development parts; its corporations and "
        "groups taken as ORG, its products and creative works as MISC",
        "CC BY 4.0",
    ),
)
MEANING = {
    "masked_": (
        "15 % of the tokens of {name} chosen, 80 % of them hidden, 10 % replaced, 10 % left as "
        "they are (Devlin et al. 2019, section 3.1): the share that the first guess gives. "
        "Easier than hiding all."
    ),
    "all_masked_wikipedia": (
        "15 % of the tokens of English Wikipedia (2014) hidden behind the mask: the share that "
        "the first guess gives. Counted in each model's own tokens, so models with different "
        "vocabularies cannot be compared exactly."
    ),
    "whole_words": (
        "Whole words hidden, on one list for all models (Wikipedia, news, novels, mixed "
        "genres): the share of words whose pieces are all guessed right at once. The one figure"
        " by which models with different vocabularies can be compared."
    ),
    "sentence_order": (
        "Neighbouring texts of 128 tokens in all, in order or swapped: the share judged rightly."
    ),
    "short_sentence_order": "… the same for pairs of short texts (48 tokens)",
    "replaced_auc": (
        "Telling the tokens that the generator put in (15 % of Wikipedia 2014) from the others:"
        " area under the curve, where 50 % is guessing."
    ),
    "replaced_found": "… replaced tokens found, at 50 %",
    "originals_kept": "… original tokens left alone, at 50 %",
    "pairs_other": (
        "Pairs of texts of 128 tokens, half of them neighbours, half with a text of another "
        "article: the share judged rightly."
    ),
    "pairs_same": (
        "Pairs of texts of 128 tokens, half of them neighbours, half with a text from elsewhere"
        " in the same article: the share judged rightly."
    ),
    "pairs_neighbours_found": "next sentence: neighbours recognised",
    "short_pairs_other": ("the same three for pairs of short texts (48 tokens): another article"),
    "short_pairs_same": "… same article",
    "short_pairs_neighbours_found": "… neighbours recognised",
    "sentiment": (
        "Accuracy on the development set of SST-2 (Socher et al. 2013), sentences of film reviews."
    ),
    "questions_f1": (
        "F1 of the best span on questions of SQuAD 1.1 (Rajpurkar et al. 2016), training titles"
        " that were held out, one accepted answer each."
    ),
    "questions_exact": "… exact match",
    "questions_dev_f1": (
        "F1 of the best span on development questions of SQuAD 1.1 (Rajpurkar et al. 2016) "
        "whose titles were not trained on, several accepted answers each."
    ),
    "no_answer_auc": (
        "Telling questions without an answer from others in SQuAD 2.0 (Rajpurkar et al. 2018), "
        "held-out titles: area under the curve, where 50 % is guessing."
    ),
    "no_answer_best_accuracy": "… answerable or not, accuracy at the best threshold",
    "no_answer_accuracy": "… answerable or not, accuracy at threshold 0",
    "entities_wikigold_f1": (
        "F1 of named entities (type and every word of it right) on the last fifth of WikiGold "
        "(Balasuriya et al. 2009), encyclopedia sentences written out as ordinary text."
    ),
    "entities_wnut_f1": (
        "F1 of named entities (type and every word of it right) on the test part of WNUT-17 "
        "(Derczynski et al. 2017), posts with names that its training part has not; its types put "
        "under PER, ORG, LOC and MISC."
    ),
    "squad2_f1": "… F1 at threshold 0",
}
LIMITS = (
    "A miniature for looking inside, not for use: expect it to know little and to be sure of it.",
    "It read a thousandth of what published compact models read; facts are often wrong.",
    "Sentiment was learned from film reviews, answers from encyclopedia passages.",
    "English only; stereotypes of its texts, old novels among them, are in it too.",
)


@dataclass(frozen=True)
class Provenance:
    """Where the weights began and what they saw."""

    start: str  # the weights before this training, in words
    start_tokens: int  # that those weights had seen in masked-word training, where known
    steps: int
    tokens: int  # of this training, padding left out
    seconds: int
    hardware: str
    remark: str

    @classmethod
    def of(cls, training: Training, *, start: str, start_tokens: int, remark: str) -> Provenance:
        """Take the figures of a training."""
        if training.device.type == "cuda":
            hardware = torch.cuda.get_device_name()
        else:
            hardware = f"{os.cpu_count()} CPU cores with bfloat16"
        seen, spent = training.tokens, round(training.seconds)
        return cls(start, start_tokens, training.step, seen, spent, hardware, remark)


def write_origin(
    folder: Path, recipe: Recipe, heads: tuple[str, ...], provenance: Provenance
) -> None:
    """Write into training.json how a miniature came about; what it can do is measured later."""
    facts = {
        "recipe": asdict(recipe),
        "heads": heads,
        "provenance": asdict(provenance),
        "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
    }
    _write(folder, facts)


def write_card(folder: Path, figures: Figures, probes: list[dict[str, Any]]) -> None:
    """Add what was measured to training.json, and write README.md from all of it."""
    facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
    facts |= {"figures": figures, "probes": probes}
    _write(folder, facts)
    (folder / "README.md").write_text(model_card(folder.name, facts), encoding="utf-8")


def _write(folder: Path, facts: dict[str, Any]) -> None:
    text = json.dumps(facts, indent=2, ensure_ascii=False)
    (folder / FACTS).write_text(text + "\n", encoding="utf-8")


def model_card(model_id: str, facts: dict[str, Any]) -> str:
    """Write the card as Markdown, from what training.json holds."""
    recipe, figures = facts["recipe"], facts["figures"]
    rows = [f"| {describe(name)} | {100 * value:.1f} % |" for name, value in figures.items()]
    sources = [*(SOURCES[name] for name in recipe["corpora"]), *LABELLED]
    sources += ENTITY_SOURCES if ENTITIES in facts["heads"] else ()
    return "\n".join(
        [
            "---",
            "language: en",
            "license: cc-by-sa-4.0",
            "library_name: transformers",
            "---",
            "",
            f"# {model_id}",
            "",
            f"A miniature of {FAMILIES[recipe['family']].name}, of width 384, in one file with "
            f"all its heads: {', '.join(facts['heads'])}.",
            "Each class of transformers takes its own head and ignores the others.",
            "",
            "## How it came about",
            "",
            *_history(recipe, Provenance(**facts["provenance"])),
            "",
            "## What it read",
            "",
            *(f"- {source}: {licence}" for source, licence in sources),
            "",
            "## Measured on text and questions that it was not trained on",
            "",
            "Measured on the files as they are here, computed with bfloat16.",
            "",
            "| what | result |",
            "| --- | --- |",
            *rows,
            "",
            "## Asked directly",
            "",
            *(_probe(probe) for probe in facts["probes"]),
            "",
            "## Limits",
            "",
            *(f"- {limit}" for limit in LIMITS),
            "",
        ]
    )


def describe(name: str) -> str:
    """Say in words what a figure is."""
    if name.startswith("masked_"):
        return MEANING["masked_"].format(name=SOURCES[name.removeprefix("masked_")][0])
    return MEANING[name]


def _history(recipe: dict[str, Any], provenance: Provenance) -> list[str]:
    total = provenance.start_tokens + provenance.tokens
    began = BEGINNINGS.get(recipe["family"], "- {total:.1f} million tokens in all since the start.")
    lines = [
        f"- Start: {provenance.start}.",
        f"- Then {provenance.steps:,} steps over {provenance.tokens / 1e6:.1f} million tokens in "
        f"{provenance.seconds / 60:.0f} minutes on {provenance.hardware}, all heads in one run.",
        began.format(
            total=total / 1e6,
            layers=", ".join(map(str, recipe["kept_layers"])),
            parent=recipe["parent"],
            generator=recipe.get("generator"),
            size=f"{recipe['vocabulary_size']:,}",
        ),
        f"- {100 * recipe['masked']:.0f} % of the tokens hidden; the weights are an average over "
        "the last steps, stored as float16.",
    ]
    return lines + ([f"- {provenance.remark}"] if provenance.remark else [])


_ALIGNED = (
    "- A vocabulary of its own ({size} tokens), each token starting from the mean of the pieces "
    "that {parent} has for it. Beside the hidden words, the vectors that {parent} computes for the "
    "same text were a target wherever a token of the one ends with one of the other."
)
BEGINNINGS = {  # by family: what became of the parent's weights
    "distilbert": "- Layers {layers}, embeddings and heads of {parent}; the losses of DistilBERT "
    "(Sanh et al. 2019): soft targets, hard targets, direction of the vectors. Sentiment and "
    "answers were learned from the teacher's scores and the labels.",
    "roberta": _ALIGNED + " Layers and heads are {parent}'s; segments went into the positions. The "
    "head for named entities was fitted last, as a logistic regression on the finished encoder.",
    "deberta-v2": _ALIGNED + " Content projections, feed-forward layers and norms are {parent}'s; "
    "the distances of its relative attention are new, and no positions enter at the input.",
    "albert": _ALIGNED + " Its word vectors of 128 are the best directions of {parent}'s, and its "
    "one layer, used at every step, holds the neurons of layers {layers} of {parent} and began "
    "with their attention heads in turn.",
    "electra": "- The discriminator began as {parent}'s encoder, the generator as the layers and "
    "the masked-word head of {generator}. Both were trained together (Clark et al. 2020), "
    "token embeddings shared, the discriminator's loss counted 50 times.",
}


def _probe(probe: dict[str, Any]) -> str:
    asked = " + ".join(f"“{text}”" for text in probe["texts"])
    answers = ", ".join(
        name if score is None else f"{name} {100 * score:.0f} %"
        for name, score in probe["answers"].items()
    )
    return f"- {asked} → {answers}{'' if probe['passed'] else ' (wrong)'}"
