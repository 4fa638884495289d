from __future__ import annotations

import io
import lzma
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from components.training import entities, evaluate, export, loop, probes, scoring
from components.training.networks import ENTITIES, load_exported
from components.training.two_heads import ENTITY_LABELS
from tests import fakes
from tests.training import tiny

WORDS = ("In", "New", "York", ",", "Ann", "Lee", "'s", "mill", "(", "a", "ruin", ")", "burned", ".")
LABELS = ("O", "B-LOC", "I-LOC", "O", "B-PER", "I-PER", *8 * ["O"])


def test_words_are_written_as_people_write_them() -> None:
    text, starts = entities.laid_out(WORDS)
    assert text == "In New York, Ann Lee's mill (a ruin) burned."
    assert all(text.startswith(word, at) for at, word in zip(starts, WORDS, strict=True))


@pytest.mark.parametrize("family", fakes.FAMILY_NAMES)
def test_each_word_has_its_label_at_its_first_token_alone(family: str) -> None:
    sentence = entities.Sentence(WORDS, LABELS)
    examples = entities.entity_examples([sentence, sentence], fakes.tokenizer_of(family))
    assert len(examples.labels) == len(examples.tokens)
    for start, end in examples.starts:
        marks = examples.labels[start:end].tolist()
        assert [ENTITY_LABELS[mark] for mark in marks if mark >= 0] == list(LABELS)
    ids, marks = examples.texts(0)[0].tolist(), examples.labels.tolist()
    lee = fakes.tokenizer_of(family).decode(ids[marks.index(ENTITY_LABELS.index("I-PER")) :])
    assert lee.strip().lower().replace(" ", "").startswith(("lee", "<unk>ee", "[unk]ee"))


def test_words_cut_off_have_no_token_and_special_tokens_hold_no_word() -> None:
    offsets = [(0, 0), (0, 2), (2, 5), (5, 8), (0, 0), (0, 0)]
    assert entities.first_tokens([0, 3, 6, 9], offsets) == [1, 2, 3, None]


def test_two_words_in_one_token_leave_it_the_label_of_the_first() -> None:
    class Joined:
        ids, offsets = [7], [(0, 5)]

    class Backend:
        backend_tokenizer = type("Encoder", (), {"encode_batch": lambda *_, **__: [Joined()]})()

    sentence = entities.Sentence(("do", "n't"), ("B-PER", "O"))
    examples = entities.entity_examples([sentence], Backend())
    assert examples.labels.tolist() == [ENTITY_LABELS.index("B-PER")]


def test_a_batch_lays_the_labels_behind_the_first_special_token() -> None:
    made = tiny.recipe("roberta-mini")
    examples = tiny.entities(made)
    objective = entities.Entities(replace(made, parts=1), examples, tiny.special(made))
    batch = objective.batch(0)
    assert batch["labels"].shape == batch["input_ids"].shape
    for row, index in enumerate(objective.order.batch(0)):
        tokens, marks = batch["input_ids"][row], batch["labels"][row]
        start, end = examples.starts[index]
        assert marks[1 : 1 + end - start].tolist() == examples.labels[start:end].tolist()
        assert (marks[tokens == tiny.special(made).pad] == entities.IGNORED).all()
        assert marks[0] == entities.IGNORED


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("O O", []),
        ("B-PER I-PER O B-LOC", [("PER", 0, 2), ("LOC", 3, 4)]),
        ("B-PER B-PER", [("PER", 0, 1), ("PER", 1, 2)]),
        ("O I-ORG I-ORG", [("ORG", 1, 3)]),
        ("B-PER I-LOC", [("PER", 0, 1), ("LOC", 1, 2)]),
        ("B-PER O I-PER", [("PER", 0, 1), ("PER", 2, 3)]),
    ],
)
def test_entities_are_read_off_labels(labels: str, expected: list[Any]) -> None:
    assert scoring.entities(labels.split()) == expected


def test_an_entity_counts_only_with_its_type_and_both_edges() -> None:
    def f1(given: str, expected: str) -> float:
        return scoring.entity_f1([given.split()], [expected.split()])

    assert f1("B-PER I-PER O", "B-PER I-PER O") == 1
    assert f1("B-PER O O", "B-PER I-PER O") == 0
    assert f1("B-LOC I-LOC O", "B-PER I-PER O") == 0
    assert f1("B-PER O B-LOC", "B-PER O O") == pytest.approx(2 / 3)  # precision 1/2, recall 1
    assert f1("O O", "O O") == 1
    assert scoring.entity_f1([["B-PER"], ["O"]], [["O"], ["B-PER"]]) == 0  # sentences keep apart
    with pytest.raises(ValueError, match="1 labels for 2 words"):
        f1("O", "O O")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    names = [f"{name}\tB-PER\nsleeps\tO\n" for name in ("Ann", "Bea", "Cy", "Dan", "Eve")]
    tables = {
        "wikigold/wikigold.tsv": "\n".join(names),
        "wnut17/train.tsv": (
            "Rome\tB-location\n\nthe\tB-group\nBeatles\tI-group\n\nEve\tO\nsleeps\tO"
        ),
        "wnut17/dev.tsv": "Alien\tB-creative-work\n\nAcme\tB-corporation\n\nFord\tB-product",
        "wnut17/test.tsv": "Bob\tB-person\n",
    }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, text in tables.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    (tmp_path / f"{entities.ARCHIVE}.xz").write_bytes(lzma.compress(packed.getvalue()))
    return tmp_path


def test_both_sources_have_one_set_of_types_and_nothing_held_out_is_trained_on(data: Path) -> None:
    held = entities.held_out_sentences(data)
    assert held["wikigold"] == [entities.Sentence(("Eve", "sleeps"), ("B-PER", "O"))]
    assert held["wnut"] == [entities.Sentence(("Bob",), ("B-PER",))]
    found = {each.words: each.labels for each in entities.training_sentences(data)}
    assert found[("Rome",)] == ("B-LOC",)
    assert found[("the", "Beatles")] == ("B-ORG", "I-ORG")
    assert [found[(word,)] for word in ("Alien", "Acme", "Ford")] == [
        ("B-MISC",),
        ("B-ORG",),
        ("B-MISC",),
    ]
    assert ("Eve", "sleeps") not in found
    assert ("Ann", "sleeps") in found


def trained() -> Any:
    training = tiny.training(replace(tiny.recipe("roberta-mini"), parts=1))
    objective = tiny.objectives(training.recipe, training.teacher)["entities"]
    for number in range(60):
        training.advance(objective, loop.Step("entities", number, 1e-2))
    return training.network


def test_fitting_the_head_finds_the_entities_and_leaves_the_encoder_alone() -> None:
    training = tiny.training(replace(tiny.recipe("roberta-mini"), parts=1))
    network = training.network.train(False)
    objective = tiny.objectives(training.recipe, training.teacher)["entities"]
    assert isinstance(objective, entities.Entities)
    before = {name: value.detach().clone() for name, value in network.named_parameters()}
    batch = objective.batch(0)
    with torch.no_grad():
        untrained = float(objective.losses(network, batch)["entities"])
    entities.fit_head(network, objective)
    with torch.no_grad():
        assert float(objective.losses(network, batch)["entities"]) < untrained / 2
    changed = {n for n, value in network.named_parameters() if not torch.equal(value, before[n])}
    assert changed == {"classifier.weight", "classifier.bias"}


def test_a_trained_head_finds_its_entities_and_is_measured(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = trained().train(False)
    tokenizer = fakes.tokenizer_of("roberta")
    words = ("we", "saw", "soup", "in", "paris")
    sentences = [entities.Sentence(words, ("O",) * 5), entities.Sentence(words[:3], ("O",) * 3)]
    expected = [["O", "O", "O", "O", "B-LOC"], ["O", "O", "O"]]
    with torch.inference_mode():
        assert entities.word_labels(network, tokenizer, sentences) == expected
        subject = evaluate.Subject(
            network, tiny.recipe("roberta-mini"), tokenizer, {}, data, evaluate.Evaluation()
        )
        assert evaluate.named_entities(subject).keys() == {
            "entities_wikigold_f1",
            "entities_wnut_f1",
        }
    asked = (probes.Probe(ENTITIES, ("we saw soup in paris",), ()),)
    monkeypatch.setattr(probes, "PROBES", asked)
    (found,) = probes.run_probes(network, tokenizer)
    assert any(name.endswith("B-LOC") for name in found["answers"])


def test_plain_transformers_reads_the_head_and_its_labels_beside_that_of_sentiment(
    tmp_path: Path,
) -> None:
    network = trained()
    export.export(network, fakes.tokenizer_of("roberta"), "roberta-mini", tmp_path)
    folder = tmp_path / "roberta-mini"
    config = transformers.AutoConfig.from_pretrained(folder)
    assert config.entity_labels == list(ENTITY_LABELS)
    assert config.id2label == {0: "NEGATIVE", 1: "POSITIVE"}
    plain, report = transformers.RobertaForTokenClassification.from_pretrained(
        folder, num_labels=9, output_loading_info=True, dtype=torch.float32
    )
    assert not report["missing_keys"]
    ours = load_exported("roberta", str(folder)).train(False)
    batch = dict(fakes.tokenizer_of("roberta")("we saw soup in paris", return_tensors="pt"))
    with torch.inference_mode():
        expected = plain.eval()(**batch).logits
        torch.testing.assert_close(ours.entity_logits(ours.encode(batch)), expected)
        sentence = transformers.RobertaForSequenceClassification.from_pretrained(
            folder, dtype=torch.float32
        ).eval()
        torch.testing.assert_close(
            ours.sentiment_logits(ours.encode(batch)), sentence(**batch).logits
        )
    assert expected.abs().max() > 0
