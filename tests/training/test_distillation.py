from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from components.training.distillation import cosine_loss, soft_loss
from components.training.growing import distilbert_of
from components.training.loop import Step
from tests.training import tiny


def test_soft_targets_cost_nothing_where_the_student_equals_the_teacher() -> None:
    logits = torch.randn(4, 9)
    assert soft_loss(logits, logits, 2.0).item() == pytest.approx(0, abs=1e-6)
    assert soft_loss(logits, torch.randn(4, 9), 2.0).item() > 0


def test_masked_out_logits_leave_the_soft_targets_finite() -> None:
    lowest = torch.finfo(torch.float32).min
    logits = torch.tensor([[1.0, 2.0, lowest]])
    other = torch.tensor([[2.0, 1.0, lowest]])
    assert soft_loss(logits, logits, 2.0).item() == pytest.approx(0, abs=1e-6)
    assert 0 < soft_loss(logits, other, 2.0).item() < 10


def test_vectors_that_point_the_same_way_cost_nothing() -> None:
    vectors, mask = torch.randn(2, 3, 8), torch.tensor([[1, 1, 0], [1, 1, 1]])
    assert cosine_loss(vectors, 2 * vectors, mask).item() == pytest.approx(0, abs=1e-6)
    assert cosine_loss(vectors, -vectors, mask).item() == pytest.approx(2)


def test_a_student_with_all_layers_says_what_its_teacher_says() -> None:
    """The renamed weights, the folded segment vector and the heads are all in place."""
    teacher = tiny.bert().eval()
    torch.nn.init.normal_(teacher.bert.embeddings.token_type_embeddings.weight)
    recipe = replace(tiny.recipe("distilbert-mini"), kept_layers=(0, 1))
    student = distilbert_of(recipe, teacher).eval()
    batch = tiny.objectives(tiny.recipe())["text"].batch(0)
    theirs, ours = teacher.encode(batch), student.encode(batch)
    seen = batch["attention_mask"].bool()
    torch.testing.assert_close(ours[seen], theirs[seen], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(student.mask_logits(theirs), teacher.mask_logits(theirs))
    torch.testing.assert_close(student.span_logits(theirs), teacher.span_logits(theirs))


def test_the_teacher_learns_nothing() -> None:
    training = tiny.training(tiny.recipe("distilbert-mini"))
    assert training.teacher is not None
    before = [weight.clone() for weight in training.teacher.parameters()]
    objective = tiny.objectives(training.recipe, training.teacher)["text"]
    training.advance(objective, Step("text", 0, 1e-3))
    for old, new in zip(before, training.teacher.parameters(), strict=True):
        assert torch.equal(old, new)
