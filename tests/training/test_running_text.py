from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from components.training.objectives import Pairs, SentenceOrder, Text
from components.training.recipes import RECIPES
from components.training.running_text import Pairing, collate, draw_pair, hide, pair_row, text_row
from tests.training import tiny

NUMBERS = {"talk": tiny.numbers(1), "news": tiny.numbers(2)}


def rows(count: int = 400) -> list[tuple[np.ndarray, ...]]:
    return [(np.full(30, 10 + i % 40),) for i in range(count)]


def test_the_wanted_share_of_tokens_is_hidden_and_special_tokens_never() -> None:
    recipe, rng = tiny.recipe(), np.random.default_rng(0)
    batch = hide(collate(rows(), tiny.SPECIAL), recipe, tiny.SPECIAL, rng)
    assert len(batch["positions"]) == round(recipe.masked * 400 * 30)
    assert batch["hidden"].min() >= tiny.SPECIAL.first_word


def test_some_hidden_tokens_stay_and_some_become_other_tokens() -> None:
    recipe, rng = tiny.recipe(), np.random.default_rng(0)
    batch = hide(collate(rows(), tiny.SPECIAL), recipe, tiny.SPECIAL, rng)
    shown = batch["input_ids"].flatten()[batch["positions"]]
    kept = (shown == batch["hidden"]).float().mean().item()
    masked = (shown == tiny.SPECIAL.mask).float().mean().item()
    assert masked == pytest.approx(1 - recipe.kept - recipe.random, abs=0.03)
    assert kept == pytest.approx(recipe.kept, abs=0.03)


def test_what_is_not_hidden_is_left_as_it_was() -> None:
    plain = collate(rows(), tiny.SPECIAL)["input_ids"]
    batch = hide(
        collate(rows(), tiny.SPECIAL), tiny.recipe(), tiny.SPECIAL, np.random.default_rng(0)
    )
    restored = batch["input_ids"].flatten()
    restored[batch["positions"]] = batch["hidden"]
    assert torch.equal(restored.view_as(plain), plain)


def test_two_texts_are_laid_out_as_bert_wants_them() -> None:
    batch = collate([(np.asarray([7, 8]), np.asarray([9])), (np.asarray([7]),)], tiny.SPECIAL)
    assert batch["input_ids"].tolist() == [[1, 7, 8, 2, 9, 2], [1, 7, 2, 0, 0, 0]]
    assert batch["token_type_ids"].tolist() == [[0, 0, 0, 0, 1, 1], [0] * 6]
    assert batch["attention_mask"].tolist() == [[1] * 6, [1, 1, 1, 0, 0, 0]]


def test_a_row_of_text_stays_within_its_article_and_its_room() -> None:
    corpus, rng = tiny.numbers(1), np.random.default_rng(0)
    for _ in range(200):
        row = text_row(corpus, 20, rng)
        assert 0 < len(row) <= 20
        assert len({(int(word) - 4) // 4 for word in row}) == 1


def test_a_neighbour_follows_at_once() -> None:
    corpus, rng = tiny.numbers(1), np.random.default_rng(0)
    text = corpus.tokens.tolist()
    for _ in range(100):
        pair = pair_row(corpus, 40, rng, pairing=Pairing.NEIGHBOUR, elsewhere=corpus)
        if pair is None:
            continue
        joined = [*pair[0].tolist(), *pair[1].tolist()]
        assert any(text[i : i + len(joined)] == joined for i in range(len(text)))


def test_a_far_text_comes_from_the_same_article() -> None:
    recipe, rng, kind = tiny.recipe(), np.random.default_rng(0), Pairing.SAME_ARTICLE
    for _ in range(100):
        left, right = draw_pair(NUMBERS, recipe.corpora, 40, rng, pairing=kind)
        assert (int(left[0]) - 4) // 4 == (int(right[0]) - 4) // 4


def test_another_article_is_another_one_even_in_the_same_corpus() -> None:
    recipe, rng, kind = tiny.recipe(), np.random.default_rng(0), Pairing.OTHER_ARTICLE
    one = {"talk": tiny.numbers(1)}
    for _ in range(100):
        left, right = draw_pair(one, recipe.corpora, 40, rng, pairing=kind)
        assert (int(left[0]) - 4) // 4 != (int(right[0]) - 4) // 4


def test_labels_of_pairs_are_balanced() -> None:
    recipe = tiny.recipe()
    objective = Pairs(recipe, NUMBERS, tiny.SPECIAL, row_tokens=recipe.row_tokens)
    for number in range(4):
        assert objective.batch(number)["labels"].float().mean() == 0.5


@pytest.mark.parametrize("model_id", sorted(RECIPES))
def test_no_row_is_longer_than_its_room_and_every_id_is_in_range(model_id: str) -> None:
    recipe = tiny.recipe(model_id)
    for name, objective in tiny.objectives(recipe).items():
        for number in range(5):
            ids = objective.batch(number, 1)["input_ids"]
            assert ids.min() >= 0, name
            assert ids.max() < len(tiny.tokenizer(recipe)), name
            limit = recipe.question_tokens if name == "questions" else recipe.row_tokens
            assert ids.shape[1] <= limit, name


@pytest.mark.parametrize("model_id", sorted(RECIPES))
def test_texts_are_laid_out_as_the_family_s_tokenizer_does_it(model_id: str) -> None:
    recipe = tiny.recipe(model_id)
    tokenizer, special = tiny.tokenizer(recipe), tiny.special(recipe)
    texts = ("the river ran", "the soup was cold")
    inside = [tokenizer(f" {text}", add_special_tokens=False)["input_ids"] for text in texts]
    made = collate([tuple(np.asarray(ids) for ids in inside)], special)
    wanted = tokenizer(*texts, return_token_type_ids=True)
    assert made["input_ids"][0].tolist() == wanted["input_ids"]
    second = wanted["input_ids"].index(special.sep) + special.between
    assert made["token_type_ids"][0].tolist() == [
        int(i >= second) for i in range(len(wanted["input_ids"]))
    ]


def test_half_of_the_neighbours_are_swapped() -> None:
    recipe = tiny.recipe()
    objective = SentenceOrder(recipe, NUMBERS, tiny.SPECIAL, row_tokens=recipe.row_tokens)
    rows, labels = objective.pairs(0, np.random.default_rng(0))
    assert labels.mean() == 0.5
    texts = [corpus.tokens.tolist() for corpus in NUMBERS.values()]
    for (first, second), label in zip(rows, labels, strict=True):
        joined = (
            [*second.tolist(), *first.tolist()] if label else [*first.tolist(), *second.tolist()]
        )
        assert any(text[i : i + len(joined)] == joined for text in texts for i in range(len(text)))
    turned = [tuple(map(tuple, row[::-1])) for row in rows]
    assert sorted(turned) == sorted(tuple(map(tuple, row)) for row in rows)


def test_the_first_orders_to_be_learned_are_of_how_articles_open() -> None:
    recipe = replace(tiny.recipe(), easy_orders=1)
    objective = SentenceOrder(recipe, NUMBERS, tiny.SPECIAL, row_tokens=recipe.row_tokens)
    starts = {
        tuple(corpus.tokens[at : at + 4].tolist())
        for corpus in NUMBERS.values()
        for at in corpus.sentences[corpus.articles[:-1]]
    }

    def opening(number: int) -> list[bool]:
        rows, labels = objective.pairs(number, np.random.default_rng(0))
        stood = [row for row, label in zip(rows, labels, strict=True) if label == 0]
        return [tuple(left[:4].tolist()) in starts for left, _ in stood]

    assert all(opening(0))
    assert not all(opening(1))


def test_fewer_words_are_hidden_where_the_order_is_learned() -> None:
    recipe = tiny.recipe()
    shares = {
        kind: len(made["hidden"]) / int(made["attention_mask"].sum())
        for kind in (Pairs, SentenceOrder)
        for made in (kind(recipe, NUMBERS, tiny.SPECIAL, row_tokens=recipe.row_tokens).batch(0),)
    }
    assert shares[SentenceOrder] < 0.6 * shares[Pairs]


def test_a_batch_depends_on_its_number_and_part_alone() -> None:
    def ids(number: int, part: int) -> torch.Tensor:
        made = Text(tiny.recipe(), NUMBERS, tiny.SPECIAL)
        return made.batch(number, part)["input_ids"]

    assert torch.equal(ids(3, 0), ids(3, 0))
    assert not torch.equal(ids(3, 0)[:, :8], ids(4, 0)[:, :8])
    assert not torch.equal(ids(3, 0)[:, :8], ids(3, 1)[:, :8])


def test_parts_share_the_rows_of_a_batch() -> None:
    whole = tiny.objectives(replace(tiny.recipe(), parts=1))["sentiment"].batch(2)
    parts = [tiny.objectives(tiny.recipe())["sentiment"].batch(2, part) for part in (0, 1)]
    assert sum(len(part["labels"]) for part in parts) == len(whole["labels"])
