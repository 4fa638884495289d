"""What goes wrong with a checkpoint, in plain words: each trouble its own sentence.

transformers says "couldn't connect" for half a dozen different troubles, speaks of tiktoken when
sentencepiece is missing, and lets KeyErrors of odd files through.
"""

from __future__ import annotations

import errno
import importlib.util
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from huggingface_hub import errors as hub_errors
from safetensors import SafetensorError

from components.errors import AppError, CheckpointError, UnknownModelError

logger = logging.getLogger(__name__)

BUNDLED_GO_ON = "The bundled models still work."


class OutOfReachError(CheckpointError):
    """The Hub could not be asked: what was fetched before may still be used."""


def sentence(model_id: str, trouble: str, advice: str = "Choose another model.") -> str:
    """Say what is the matter with `model_id`, and what to do."""
    return f"{model_id} {trouble} {advice}"


def hub_trouble(model_id: str, error: BaseException) -> AppError:
    """Say why the Hub did not give `model_id`."""
    for cause in _chain(error):
        if isinstance(cause, hub_errors.GatedRepoError):  # a kind of RepositoryNotFoundError: first
            return CheckpointError(
                f"{model_id} is gated: its authors give permission on its Hub page, and this app "
                f"has none. Choose an open model. {BUNDLED_GO_ON}"
            )
        if isinstance(cause, hub_errors.RepositoryNotFoundError):
            return UnknownModelError(
                f"There is no public model {model_id} on the Hub. Check the spelling. "
                f"{BUNDLED_GO_ON}"
            )
        if isinstance(cause, hub_errors.DisabledRepoError):
            return CheckpointError(f"The Hub has disabled {model_id}. Choose another model.")
        if isinstance(cause, hub_errors.OfflineModeIsEnabled):
            return OutOfReachError(
                f"This app runs without the Hub (HF_HUB_OFFLINE is set), and {model_id} was not "
                f"fetched before. {BUNDLED_GO_ON}"
            )
        if is_disk_full(cause):
            return CheckpointError(
                f"The disk of this app is full, so {model_id} cannot be fetched. Whoever runs the "
                f"app must make room. {BUNDLED_GO_ON}"
            )
        if isinstance(cause, hub_errors.HfHubHTTPError):
            return _bad_answer(model_id, cause.response.status_code)
    return OutOfReachError(
        f"The Hub can't be reached, and {model_id} was not fetched before. Check the network, or "
        f"try again later. {BUNDLED_GO_ON}"
    )


def is_disk_full(error: BaseException) -> bool:
    """Say whether a file could not be written for want of room."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def _bad_answer(model_id: str, status: int) -> AppError:
    if status == 429:
        return OutOfReachError(
            f"The Hub gets too many requests from here, and {model_id} was not fetched before. "
            f"Try again in a few minutes. {BUNDLED_GO_ON}"
        )
    if status >= 500:
        return OutOfReachError(
            f"The Hub is out of order right now (it answers {status}), and {model_id} was not "
            f"fetched before. Try again later. {BUNDLED_GO_ON}"
        )
    return CheckpointError(
        f"The Hub does not give {model_id} to this app (it answers {status}). Choose another "
        f"model. {BUNDLED_GO_ON}"
    )


@contextmanager
def explained(model_id: str, folder: Path) -> Iterator[None]:
    """Turn whatever is raised while the files in `folder` are read into a sentence.

    The files are a stranger's, so any kind of error can be theirs; what none of the sentences
    below fits is also logged whole.
    """
    try:
        yield
    except (AppError, MemoryError):
        raise
    except Exception as error:
        raise _explain(model_id, folder, error) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # how the tokenizers die; no Exception
            raise
        raise _explain(model_id, folder, error) from error


_MEANINGS = (  # what a message of transformers contains -> what is wrong
    ("contains custom code", "needs code of its own to run, and this app never runs such code."),
    ("no file named model.safetensors", "has no weights in safetensors form."),
    ("not a valid JSON file", "has a config.json that is not JSON."),
    (
        "Unrecognized model in",
        "has no usable config.json: it does not say which kind of model it is.",
    ),
    ("has model type", "is of a kind that this version of transformers does not know."),
    ("Couldn't instantiate the backend tokenizer", "has no tokenizer files that can be read."),
)


def _explain(model_id: str, folder: Path, error: BaseException) -> AppError:
    text = str(error)
    for part, meaning in _MEANINGS:
        if part in text:
            return CheckpointError(sentence(model_id, meaning))
    if "tiktoken" in text or "Error parsing line" in text:
        return CheckpointError(sentence(model_id, _sentencepiece()))
    if isinstance(error, SafetensorError):
        return CheckpointError(
            sentence(
                model_id,
                "has damaged weights, or they were only half fetched.",
                "Try again, or choose another model.",
            )
        )
    if isinstance(error, hub_errors.StrictDataclassFieldValidationError):
        return CheckpointError(
            sentence(model_id, f"has a value in config.json that cannot be: {error.__cause__}.")
        )
    logger.warning("%s could not be read", model_id, exc_info=error)
    first = (text.splitlines() or [""])[0].replace(str(folder), model_id)[:200]
    return CheckpointError(
        sentence(model_id, f"could not be read ({type(error).__name__}: {first}).")
    )


def _sentencepiece() -> str:
    if all(importlib.util.find_spec(name) for name in ("sentencepiece", "google.protobuf")):
        return "has a SentencePiece vocabulary that is damaged."
    return (
        "has a SentencePiece vocabulary: to read it, whoever runs this app must install both "
        "sentencepiece and protobuf."
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
