from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from components.models.checkpoint import LOAD_LOCK
from components.models.classifiers import Classifier
from components.models.families import Task
from components.models.loaded import LoadedModel
from components.models.takeaway import write_zip
from tests.fakes import FAMILY_NAMES

Load = Callable[..., LoadedModel]
LABELS = ("cold", "lukewarm", "warm")
TEXT = "the soup was cold but the bread was warm"
every_family = pytest.mark.parametrize("family", FAMILY_NAMES)


def logits(model: LoadedModel) -> np.ndarray:
    return np.asarray(model.run([model.encode(TEXT)])[0]["logits"])


def everything(model: LoadedModel) -> dict[str, torch.Tensor]:
    return {k: v.clone() for k, v in model._resident.network.state_dict().items()}


@every_family
@pytest.mark.parametrize("whole", [True, False])
def test_its_encoder_is_the_one_it_began_with_and_its_head_is_chance(
    load: Load, family: str, whole: bool
) -> None:
    encoder = load(family, Task.ENCODER)
    made = Classifier(encoder, LABELS, whole=whole, seed=1)
    encoding = encoder.encode(TEXT)
    expected = encoder.run([encoding])[0]["last_hidden_state"]
    answer = made.answering().run([encoding], hidden_states=True)[0]
    np.testing.assert_allclose(answer["hidden_states"][-1], expected, atol=1e-5)
    assert answer["logits"].shape == (3,)
    again = Classifier(encoder, LABELS, whole=whole, seed=1)
    np.testing.assert_array_equal(logits(again.answering()), answer["logits"])
    again.start_over(2)
    assert np.abs(logits(again.answering()) - answer["logits"]).max() > 1e-4


@every_family
@pytest.mark.parametrize("whole", [True, False])
def test_what_is_trained_is_never_what_all_share(load: Load, family: str, whole: bool) -> None:
    encoder = load(family, Task.ENCODER)
    before = everything(encoder)
    made = Classifier(encoder, LABELS, whole=whole, seed=1)
    shared = {p.data_ptr() for p in encoder._resident.network.parameters()}
    own = {p.data_ptr() for _, p in made.trainable()}
    assert not own & shared
    assert all(p.requires_grad for _, p in made.trainable())
    frozen = [p for p in made.network.parameters() if p.data_ptr() in shared]
    assert bool(frozen) is not whole, "a frozen encoder is shared, one in training is not"
    assert not any(p.requires_grad for p in frozen)
    with torch.no_grad():
        for _, parameter in made.trainable():
            parameter.add_(1)
    made.rest()
    for name, tensor in everything(encoder).items():
        assert torch.equal(tensor, before[name]), name


@every_family
@pytest.mark.parametrize("whole", [True, False])
def test_what_is_taken_along_answers_alike_in_plain_transformers(
    load: Load, family: str, whole: bool, tmp_path: Path
) -> None:
    encoder = load(family, Task.ENCODER)
    made = Classifier(encoder, LABELS, whole=whole, seed=1)
    with torch.no_grad():
        for _, parameter in made.trainable():
            parameter.add_(0.01)
    made.put(made.weights())
    made.rest()
    write_zip(made, tmp_path / "classifier.zip", "# a card")
    with zipfile.ZipFile(tmp_path / "classifier.zip") as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "classifier"
    assert (folder / "README.md").read_text() == "# a card"
    with LOAD_LOCK:
        network, report = transformers.AutoModelForSequenceClassification.from_pretrained(
            folder, output_loading_info=True
        )
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    assert network.config.id2label == dict(enumerate(LABELS))
    with torch.inference_mode():
        plain = network.eval()(**tokenizer(TEXT, return_tensors="pt")).logits[0].float().numpy()
    # a frozen encoder answers here in full precision, and travels in half
    np.testing.assert_allclose(plain, logits(made.answering()), atol=1e-5 if whole else 5e-2)


def test_at_rest_it_takes_half_the_memory_and_answers_as_before(load: Load) -> None:
    made = Classifier(load("bert", Task.ENCODER), LABELS, whole=True, seed=1)
    made.put(made.weights())
    before, size = logits(made.answering()), made.bytes
    made.rest()
    assert made.bytes == size / 2
    np.testing.assert_allclose(logits(made.answering()), before, atol=1e-6)


def test_a_head_of_another_task_is_no_beginning(load: Load) -> None:
    with pytest.raises(ValueError, match="bare encoder"):
        Classifier(load("bert", Task.FILL_MASK), LABELS, whole=True, seed=1)
