from __future__ import annotations

from collections.abc import Callable

import numpy as np

from components.models.families import Task
from components.models.loaded import LoadedModel
from components.tasks import fill_mask, question_answering

Load = Callable[..., LoadedModel]


def test_the_attention_kept_is_that_of_the_pass_that_answered(load: Load) -> None:
    model = load("bert", Task.FILL_MASK, attentions=True)
    watched = model.watched(attentions=True)
    result = fill_mask.predict(watched, "the river ___ past")
    assert result.blanks == fill_mask.predict(model, "the river ___ past").blanks
    (encoding,) = watched.inputs
    assert model.mask_token_id in encoding.input_ids
    expected = model.run([encoding], attentions=True)[0]["attentions"]
    np.testing.assert_allclose(watched.attention(), expected, atol=1e-6)


def test_of_several_inputs_the_attention_of_each_can_be_asked_for(load: Load) -> None:
    model = load("bert", Task.QUESTION_ANSWERING, attentions=True)
    watched = model.watched(attentions=True)
    passage = "the soup was cold but the bread was warm and fresh " * 8
    question_answering.predict(watched, "what was cold", passage, max_length=48, stride=8)
    assert len(watched.inputs) > 1
    for index, encoding in enumerate(watched.inputs):
        attention = watched.attention(index)
        assert attention.shape == (3, 4, len(encoding), len(encoding))
        np.testing.assert_allclose(attention.sum(axis=-1), 1, atol=1e-5)
