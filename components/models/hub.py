"""The Hub: whether a checkpoint can be had from it, and in plain words why not.

transformers retries a dead Hub for 24 to 48 seconds and says "couldn't connect" for half a dozen
different troubles. So one short request comes first, and every failure gets its own sentence.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import huggingface_hub
from huggingface_hub import errors as hub_errors
from huggingface_hub.utils._headers import build_hf_headers
from huggingface_hub.utils._http import hf_raise_for_status
from safetensors import SafetensorError

from components.errors import AppError, CheckpointError, UnknownModelError

BUNDLED_GO_ON = "The bundled models still work."


@dataclass(frozen=True, slots=True)
class Source:
    """Where a checkpoint is read from: a bundled folder, or a checked id of the Hub."""

    place: str
    local_only: bool

    @property
    def options(self) -> dict[str, Any]:
        """What every from_pretrained call is given; remote code is never run."""
        return {"trust_remote_code": False, "local_files_only": self.local_only}


def find_source(model_id: str, timeout: float) -> Source:
    """Ask the Hub once, within `timeout` seconds, whether `model_id` can be had.

    Out of reach, only what was fetched before is used. Raises UnknownModelError or
    CheckpointError when the Hub says no.
    """
    if huggingface_hub.constants.HF_HUB_OFFLINE:
        return Source(model_id, local_only=True)
    url = huggingface_hub.hf_hub_url(model_id, "config.json")
    try:
        response = huggingface_hub.get_session().head(
            url,
            timeout=timeout,
            follow_redirects=True,
            headers=build_hf_headers(),
        )
        hf_raise_for_status(response)
    except hub_errors.EntryNotFoundError:
        return Source(model_id, local_only=False)  # transformers says what is missing
    except (httpx2.HTTPError, hub_errors.HfHubHTTPError) as error:
        refusal = _refusal(model_id, error)
        if refusal is not None:
            raise refusal from error
        return Source(model_id, local_only=True)
    return Source(model_id, local_only=False)


def disk_bytes(source: Source) -> int:
    """Count the bytes of the files with weights of a checkpoint that was read from `source`."""
    folder = Path(source.place)
    if not folder.is_dir():
        config = huggingface_hub.try_to_load_from_cache(source.place, "config.json")
        folder = Path(config).parent if isinstance(config, str) else folder
    return sum(file.stat().st_size for file in folder.glob("*.safetensors"))


@contextmanager
def explained(model_id: str) -> Iterator[None]:
    """Turn what transformers raises while loading `model_id` into a sentence for the visitor."""
    try:
        yield
    except AppError:
        raise
    except (OSError, ValueError, SafetensorError, pickle.UnpicklingError) as error:
        raise _explain(model_id, error) from error
    except hub_errors.StrictDataclassFieldValidationError as error:
        raise CheckpointError(
            f"The config.json of {model_id} has a value that cannot be: {error.__cause__ or error}."
        ) from error


def _refusal(model_id: str, error: Exception) -> AppError | None:
    """Say what the Hub refused, or None when it could not be asked."""
    if isinstance(error, hub_errors.GatedRepoError):  # a kind of RepositoryNotFoundError: first
        return CheckpointError(
            f"{model_id} is gated: its authors give permission on its Hub page, and this app has "
            f"none. Choose an open model. {BUNDLED_GO_ON}"
        )
    if isinstance(error, hub_errors.RepositoryNotFoundError):
        return UnknownModelError(
            f"There is no public model {model_id} on the Hub. Check the spelling. {BUNDLED_GO_ON}"
        )
    if isinstance(error, hub_errors.DisabledRepoError):
        return CheckpointError(f"The Hub has disabled {model_id}. Choose another model.")
    return None


_BEGINNINGS = (  # how a message of transformers begins or what it contains -> what is wrong
    ("contains custom code", "needs code of its own to run, and this app never runs such code."),
    (
        "does not appear to have a file named model.safetensors",
        "has no weights in safetensors form.",
    ),
    ("no file named model.safetensors", "has no weights in safetensors form."),
    ("not a valid JSON file", "has a config.json that is not JSON."),
    (
        "Unrecognized model in",
        "has no usable config.json: it does not say which kind of model it is.",
    ),
    ("has model type", "is of a kind that this version of transformers does not know."),
    ("Couldn't instantiate the backend tokenizer", "has no tokenizer files that can be read."),
    ("tiktoken", "has a SentencePiece vocabulary; install both sentencepiece and protobuf."),
    (
        "Error parsing line",
        "has a SentencePiece vocabulary; install both sentencepiece and protobuf.",
    ),
    ("does not appear to have a file named config.json", "has no config.json."),
)


def _explain(model_id: str, error: BaseException) -> AppError:
    for cause in _chain(error):
        refusal = _refusal(model_id, cause) if isinstance(cause, Exception) else None
        if refusal is not None:
            return refusal
    text = str(error)
    for beginning, meaning in _BEGINNINGS:
        if beginning in text:
            return CheckpointError(f"{model_id} {meaning} Choose another model.")
    if isinstance(error, (SafetensorError, pickle.UnpicklingError)):
        return CheckpointError(
            f"The weights of {model_id} are damaged or were only half downloaded. Try again, or "
            "choose another model."
        )
    if any(isinstance(cause, hub_errors.LocalEntryNotFoundError) for cause in _chain(error)):
        return CheckpointError(
            f"The Hub can't be reached or is busy, and {model_id} was not fetched before. "
            f"{BUNDLED_GO_ON}"
        )
    return CheckpointError(f"{model_id} could not be read: {text.splitlines()[0][:200]}")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
