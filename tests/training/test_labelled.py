from __future__ import annotations

import json
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from transformers import BertTokenizerFast

from components.training import corpus, labelled
from components.training.recipes import RECIPES
from tests import fakes

PASSAGE = "In 1862 the mill-owner, Ann Lee, sold 3,000 boats to the town of York for £40."
WORDS = "in 1862 the mill owner ann lee sold 3 000 boats to town of york for £ 40 who how many"


@pytest.fixture(scope="module")
def tokenizer() -> BertTokenizerFast:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS.split(), *"-,.?"]
    return BertTokenizerFast(vocab={piece: i for i, piece in enumerate(pieces)})


def row(answer: str, context: str = PASSAGE, title: str = "Mills") -> labelled.Row:
    start = context.find(answer)
    answers = [{"text": answer, "start": start}] if start >= 0 else []
    return {
        "title": title,
        "question": "Who sold boats?",
        "context": context,
        "answers": answers,
        "n_occurrences": len(answers),
    }


@pytest.mark.parametrize("answer", ["1862", "Ann Lee", "3,000 boats", "mill-owner", "£40"])
def test_offsets_slice_back_to_the_answer(tokenizer: BertTokenizerFast, answer: str) -> None:
    offsets = tokenizer(PASSAGE, add_special_tokens=False, return_offsets_mapping=True)
    edges = offsets["offset_mapping"]
    span = labelled.answer_tokens(row(answer)["answers"][0], PASSAGE, edges)
    assert span is not None
    assert PASSAGE[edges[span[0]][0] : edges[span[1]][1]] == answer


def test_an_answer_that_cuts_through_a_token_is_left_out(tokenizer: BertTokenizerFast) -> None:
    rows = [row("oats"), row("York")]
    assert len(labelled.question_examples(rows, tokenizer, RECIPES["bert-mini"]).labels) == 1


@pytest.mark.parametrize("room", [256, 18, 12])
def test_the_span_marks_the_answer_in_the_laid_out_row(
    tokenizer: BertTokenizerFast, room: int
) -> None:
    recipe = replace(RECIPES["bert-mini"], question_tokens=room)
    examples = labelled.question_examples([row("York"), row("Ann Lee")], tokenizer, recipe)
    for index, answer in enumerate(["york", "ann lee"]):
        question, passage = examples.texts(index)
        laid_out = [tokenizer.cls_token_id, *question, tokenizer.sep_token_id, *passage]
        first, last = examples.labels[index]
        assert len(laid_out) + 1 <= room
        assert tokenizer.decode(laid_out[first : last + 1]) == answer


def test_no_answer_is_marked_at_cls(tokenizer: BertTokenizerFast) -> None:
    examples = labelled.question_examples([row("nowhere")], tokenizer, RECIPES["bert-mini"])
    assert examples.labels.tolist() == [[0, 0]]


def test_a_misplaced_question_keeps_its_title_and_loses_its_answer() -> None:
    rows = [row("York"), row("York", "York is old."), row("Ann Lee", "Ann Lee rests.")]
    made = labelled.misplaced(rows, 10, seed=0)
    assert {question["context"] for question in made} <= {PASSAGE, "York is old.", "Ann Lee rests."}
    for question in made:
        assert question["answers"] == []
        assert question["title"] == "Mills"
    assert any(question["context"] == "Ann Lee rests." for question in made)


def test_each_pass_over_the_examples_holds_each_once() -> None:
    order = labelled.Order(np.arange(50), rows=8, seed=0)
    for number_of_pass in range(2):
        numbers = range(number_of_pass * order.batches, (number_of_pass + 1) * order.batches)
        seen = np.concatenate([order.batch(number) for number in numbers])
        assert len(set(seen.tolist())) == len(seen) >= 48


def test_sentences_of_the_development_set_are_dropped(
    tmp_path: Path, tokenizer: BertTokenizerFast
) -> None:
    write(tmp_path / "sst2_dev.tsv.xz", "label\tsentence\n1\tboats for the town .\n")
    train = "label\tsentence\n1\tBoats, for the town\n0\tthe mill sold\n1\tmany boats\n"
    write(tmp_path / "sst2_train.tsv.xz", train)
    examples = labelled.sentiment_examples(tmp_path, tokenizer)
    assert examples.labels.tolist() == [0, 1]


def test_held_out_titles_give_no_training_question(tmp_path: Path) -> None:
    rows = [row("York", title=f"Title {number}") for number in range(80)]
    write(tmp_path / "squad_train_v1.1.jsonl.xz", "\n".join(map(json.dumps, rows)))
    second = [row("nowhere", title=f"Second {number}") for number in range(4)]
    write(tmp_path / "squad_v2.0_dev_half.jsonl.xz", "\n".join(map(json.dumps, second)))
    hidden = corpus.held_out_titles(tmp_path) | corpus.unanswerable_titles(tmp_path, held_out=True)
    used = {r["title"] for r in labelled.question_rows(tmp_path, RECIPES["bert-mini"])}
    assert corpus.held_out_titles(tmp_path)
    assert used
    assert not used & hidden


def write(path: Path, text: str) -> None:
    with lzma.open(path, "wt", encoding="utf-8") as file:
        file.write(text)


@pytest.mark.parametrize("family", fakes.FAMILY_NAMES)
def test_the_answer_of_every_family_slices_back_to_the_text(family: str) -> None:
    """Some count the space before a word in, and a piece may be nothing but that space."""
    passage = "the soup was cold but the bread was warm"
    for answer in ("the soup", "cold", "the bread was warm"):
        made = fakes.tokenizer_of(family)(
            passage, add_special_tokens=False, return_offsets_mapping=True
        )
        edges = made["offset_mapping"]
        given = {"text": answer, "start": passage.index(answer)}
        span = labelled.answer_tokens(given, passage, edges)
        assert span is not None
        assert passage[edges[span[0]][0] : edges[span[1]][1]].strip() == answer
