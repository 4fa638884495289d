"""The Hub: whether a checkpoint can be had from it, and fetching its files.

transformers, given an id, asks the Hub dozens of times and retries for 24 to 48 seconds when it is
down; it would also read a folder of the working directory that happens to be called like the id.
So a typed id never reaches it: one short request comes first, then the files are fetched, and
transformers reads the folder they lie in.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import huggingface_hub
from huggingface_hub import errors as hub_errors
from huggingface_hub.utils.tqdm import disable_progress_bars

from components.errors import CheckpointError
from components.models.troubles import BUNDLED_GO_ON, OutOfReachError, hub_trouble, sentence

logger = logging.getLogger(__name__)
disable_progress_bars()
T = TypeVar("T")

WEIGHTS = "model.safetensors"
_INDEX = "model.safetensors.index.json"  # of weights in several files
_VOCABULARY = (
    "tokenizer_config.json",
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "spm.model",
    "spiece.model",
    "special_tokens_map.json",
    "added_tokens.json",
)
_SHARD = re.compile(r"[\w.-]+\.safetensors", re.ASCII)


def fetch_description(model_id: str, timeout: float) -> Path:
    """Fetch everything but the weights of `model_id`; give the folder it lies in.

    The Hub gets `timeout` seconds to answer; out of reach, what was fetched before is used.
    Raises UnknownModelError or CheckpointError.
    """
    try:
        found = _ask(model_id, "config.json", timeout)
    except OutOfReachError:
        known = huggingface_hub.try_to_load_from_cache(model_id, "config.json")
        if not isinstance(known, str):
            raise
        return Path(known).parent
    config = None if found is None else _download(model_id, "config.json")
    if config is None:
        raise CheckpointError(sentence(model_id, "has no config.json."))
    folder = Path(config).parent
    commit = folder.name  # so the Hub's cache calls its folders; one commit gives all the files
    with ThreadPoolExecutor(thread_name_prefix="hub") as pool:
        list(pool.map(lambda name: _fetch(model_id, name, commit), _VOCABULARY))
    return folder


def fetch_weights(model_id: str, folder: Path, timeout: float, limit: int) -> None:
    """Fetch the weights that belong to the description in `folder`, unless they are there.

    Raises CheckpointError when there are none in safetensors form, when they take more than
    `limit` bytes, or when the Hub is out of reach.
    """
    if (folder / WEIGHTS).exists():
        return
    commit = folder.name
    names = _shards(model_id, folder) if (folder / _INDEX).exists() else [WEIGHTS]
    found = [_ask(model_id, n, timeout, commit) for n in names if not (folder / n).exists()]
    if names == [WEIGHTS] and found == [None]:
        if _ask(model_id, _INDEX, timeout, commit) is None:
            raise CheckpointError(sentence(model_id, "has no weights in safetensors form."))
        _fetch(model_id, _INDEX, commit)
        fetch_weights(model_id, folder, timeout, limit)
        return
    refuse_giant(model_id, sum(file.size or 0 for file in found if file is not None), limit)
    for name in names:
        _fetch(model_id, name, commit)


def refuse_giant(model_id: str, size: int, limit: int) -> None:
    """Raise CheckpointError when `size` bytes of weights are more than the app keeps."""
    if size > limit:
        raise CheckpointError(
            f"{model_id} is too large: its weights take {size / 1024**3:.1f} GB, and this app "
            f"keeps at most {limit / 1024**3:.1f} GB in memory. Choose a smaller model."
        )


def disk_bytes(folder: Path) -> int:
    """Count the bytes of the files with weights in `folder`."""
    return sum(file.stat().st_size for file in folder.glob("*.safetensors"))


def _ask(model_id: str, name: str, timeout: float, revision: str | None = None) -> Any:
    """Ask once for commit and size of a file; None when the repository has no such file.

    No token is sent: what is private to the operator must not be open to visitors.
    """
    url = huggingface_hub.hf_hub_url(model_id, name, revision=revision)
    try:
        found = _within(
            timeout + 1,  # looking up the address counts for none of the library's timeouts
            lambda: huggingface_hub.get_hf_file_metadata(url, token=False, timeout=timeout),
        )
    except hub_errors.EntryNotFoundError:
        return None
    except Exception as error:
        logger.info("the Hub did not give %s of %s", name, model_id, exc_info=True)
        raise hub_trouble(model_id, error) from error
    if found.commit_hash is None:  # the login page of a hotel answers everything, for one
        raise OutOfReachError(
            f"What answers at the Hub's address is not the Hub, and {model_id} was not fetched "
            f"before. {BUNDLED_GO_ON}"
        )
    return found


def _fetch(model_id: str, name: str, commit: str) -> str | None:
    """Give the place of a file, fetched unless it is there; None when there is no such file."""
    known = huggingface_hub.try_to_load_from_cache(model_id, name, revision=commit)
    if known is None:
        return _download(model_id, name, commit)
    return known if isinstance(known, str) else None  # that it is missing was noted as well


def _download(model_id: str, name: str, commit: str | None = None) -> str | None:
    try:
        return huggingface_hub.hf_hub_download(model_id, name, revision=commit, token=False)
    except hub_errors.RemoteEntryNotFoundError:
        return None
    except Exception as error:
        logger.warning("%s of %s was not fetched", name, model_id, exc_info=True)
        raise hub_trouble(model_id, error) from error


def _shards(model_id: str, folder: Path) -> list[str]:
    try:
        index = json.loads((folder / _INDEX).read_text(encoding="utf-8"))
        names = sorted({str(name) for name in index["weight_map"].values()})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(sentence(model_id, f"has a broken {_INDEX}.")) from error
    if not names or not all(_SHARD.fullmatch(name) for name in names):  # no path of the server
        raise CheckpointError(sentence(model_id, f"has a broken {_INDEX}."))
    return names


def _within(seconds: float, call: Callable[[], T]) -> T:
    """Give what `call` gives, or raise TimeoutError; a call that hangs is left behind."""
    answer: Future[T] = Future()
    threading.Thread(target=_answer, args=(answer, call), name="hub", daemon=True).start()
    try:
        return answer.result(seconds)
    finally:
        del answer  # else the error, its traceback and this frame keep each other alive


def _answer(answer: Future[T], call: Callable[[], T]) -> None:
    try:
        answer.set_result(call())
    except BaseException as error:  # noqa: BLE001  handed on to the one who waits
        answer.set_exception(error)
