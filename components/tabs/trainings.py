"""A training from the lines to the result, as the page and programs both run it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from components.errors import ModelError
from components.models.catalog import SHIPPED, find_card
from components.models.families import Task
from components.models.ids import clean_id
from components.models.manager import ModelManager
from components.tabs.endpoint import well_formed
from components.tasks import fine_tune, labelled_lines
from components.tasks.fine_tune import Data, FineTuneResult, UntrainedResult
from components.training.progress import Ending, Moment, Part, Plan, plan_of
from components.views import fine_tune_tables as tables

if TYPE_CHECKING:  # torch takes seconds: it waits for the first training
    from components.models.classifiers import Classifier
    from components.models.loaded import LoadedModel

_LEARNED_BEFORE = (
    "Its encoder has been made here with film reviews (SST-2) among other texts, so opinions are "
    "not new to it: look how far the frozen vectors come alone."
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a training is asked for, checked."""

    model_id: str
    data: Data
    text: str  # the visitor's own sentence
    plan: Plan

    @classmethod
    def read(
        cls,
        model_id: str,
        lines: str,
        upload: bytes | None,
        text: str,
        part: str,
        epochs: int,
        rate: str,
    ) -> Asked:
        """Check what was chosen; raises AppError, in words, for what cannot be."""
        return cls(
            bundled(model_id),
            data_of(well_formed(lines or ""), upload),
            fine_tune.check_sentence(well_formed(text or "")),
            plan_of(part, int(epochs), rate),
        )


class Trained:
    """A trained classifier with what came of it: what is kept for its visitor."""

    def __init__(self, classifier: Classifier, result: FineTuneResult, plan: Plan) -> None:
        self.classifier, self.result, self.plan = classifier, result, plan

    @property
    def bytes(self) -> int:
        """Bytes of memory that it takes up."""
        return self.classifier.bytes

    def answering(self) -> LoadedModel:
        """Give it as a model like any other, named for what it is."""
        model = self.classifier.answering()
        model.id = f"{self.classifier.id}, trained by you"
        return model


class Packs:
    """Checkpoints packed to be taken along, in a folder that goes with the process."""

    def __init__(self) -> None:
        self._held = tempfile.TemporaryDirectory(prefix="encoder-lab-")
        self.folder = Path(self._held.name)

    def file(self, token: str, trained: Trained) -> Path:
        """Give the file of what is kept for `token`, packed when it is first asked for."""
        from components.models.takeaway import write_zip

        place = self._place(token)
        if not place.exists():
            place.parent.mkdir(exist_ok=True)
            write_zip(trained.classifier, place, tables.card(trained.result, trained.plan))
        return place

    def remove(self, token: str) -> None:
        """Take the file away; it need not be there."""
        shutil.rmtree(self._place(token).parent, ignore_errors=True)

    def _place(self, token: str) -> Path:
        return self.folder / token / "classifier.zip"


def bundled(model_id: str) -> str:
    """Give the id of a bundled model; raises ModelError for any other."""
    known = clean_id(model_id)
    offered = [card.id for card in SHIPPED]
    if known not in offered:
        raise ModelError(
            f"{known} cannot be trained here, only the bundled miniatures can: "
            f"{', '.join(offered)}."
        )
    return known


def data_of(lines: str, upload: bytes | None = None) -> Data:
    """Read labelled lines, or a file in their stead, and hold some of them out."""
    read = labelled_lines.from_lines(lines) if upload is None else None
    return fine_tune.prepare(read or labelled_lines.from_file(upload or b""))


def untrained(models: ModelManager, model_id: str, data: Data, text: str) -> UntrainedResult:
    """Let heads that nobody trained judge a text: the visitor's own, else a held-out line."""
    from components.models.classifiers import Classifier

    encoder = models.get(bundled(model_id), Task.ENCODER)
    held = data.lines(held_out=True)
    text = text or data.texts[held[0]]
    encodings = fine_tune.encode(encoder, [text, *(data.texts[i] for i in held)])
    classifier = Classifier(encoder, data.names, whole=False, seed=1)
    labels = np.array([data.labels[i] for i in held])
    logits, right = [], []
    for seed in range(1, fine_tune.HEADS + 1):
        classifier.start_over(seed)
        answers = np.stack([a["logits"] for a in classifier.answering().run(encodings)])
        logits.append(answers[0])
        right.append(int((answers[1:].argmax(-1) == labels).sum()))
    cut = fine_tune.cut_notices(encodings)
    return UntrainedResult(
        encoder.id, data, text, np.stack(logits), tuple(right), (*data.notices, *cut)
    )


class Training:
    """One training; `trained`, `ending` and `best_epoch` are there when it has run."""

    def __init__(
        self, models: ModelManager, asked: Asked, is_stopped: Callable[[], bool] = lambda: False
    ) -> None:
        self.models, self.asked, self.is_stopped = models, asked, is_stopped
        self.moments: list[Moment] = []
        self.frozen = 0  # held-out lines that the frozen vectors suffice for
        self.trained: Trained | None = None
        self.ending, self.best_epoch = Ending.DONE, 0.0

    def run(self) -> Iterator[Moment]:
        """Train, and give every moment; raises AppError for what the visitor can put right."""
        from components.models.classifiers import Classifier
        from components.training.tuning import Labelled, Tuning

        data, plan = self.asked.data, self.asked.plan
        encoder = self.models.get(self.asked.model_id, Task.ENCODER)
        texts = [*data.texts, *([self.asked.text] if self.asked.text else [])]
        encodings = fine_tune.encode(encoder, texts)
        whole = plan.part is Part.WHOLE
        classifier = Classifier(encoder, data.names, whole=whole, seed=plan.seed)
        before = fine_tune.read(classifier.answering(), encodings)
        self.frozen = fine_tune.frozen_right(before[1][: len(data.texts)], data)

        def half(lines: Sequence[int]) -> Labelled:
            return Labelled(
                [encodings[i] for i in lines], np.array([data.labels[i] for i in lines])
            )

        tuning = Tuning(
            classifier,
            half(data.lines(held_out=False)),
            half(data.lines(held_out=True)),
            plan,
            is_stopped=self.is_stopped,
        )
        for moment in tuning.run():
            self.moments.append(moment)
            yield moment
        self.ending, self.best_epoch = tuning.ending, tuning.best_epoch
        classifier.rest()
        after = fine_tune.read(classifier.answering(), encodings)
        card = find_card(encoder.id)
        known = (_LEARNED_BEFORE,) if card and Task.SENTIMENT in card.tasks else ()
        notices = (*data.notices, *fine_tune.cut_notices(encodings), *known)
        result = fine_tune.compare(
            encoder.id, data, self.asked.text, before, after, self.frozen, notices
        )
        self.trained = Trained(classifier, result, plan)

    def plain(self) -> dict[str, Any]:
        """Give what came of it to a program."""
        assert self.trained is not None
        result, data = self.trained.result, self.asked.data
        return {
            "model_id": result.model_id,
            "labels": list(data.names),
            "held_out_lines": len(data.lines(held_out=True)),
            "right": result.right(result.after),
            "right_before": result.right(result.before),
            "right_with_frozen_vectors": result.frozen,
            "right_with_commonest_label": data.majority,
            "confusion": [list(row) for row in result.confusion()],  # true label, given label
            "passes": [
                {"epoch": m.epoch, "held_out_loss": m.held_out.loss, "right": m.held_out.right}
                for m in self.moments
                if m.held_out is not None
            ],
            "ending": str(self.ending),
            "kept_epoch": self.best_epoch,
            "scores": dict(zip(data.names, map(float, result.text_after), strict=False)),
            "scores_before": dict(zip(data.names, map(float, result.text_before), strict=False)),
            "notices": list(result.notices),
        }
