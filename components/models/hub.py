"""The Hub: whether a checkpoint can be had from it, and fetching its description.

transformers, given an id, asks the Hub dozens of times and retries for 24 to 48 seconds when it is
down; it would also read a folder of the working directory that happens to be called like the id.
So a typed id never reaches it: one short request comes first, then the files are fetched, and
transformers reads the folder they lie in. The weights are fetched by fetching.py.
"""

from __future__ import annotations

import json
import logging
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import huggingface_hub
from huggingface_hub import constants
from huggingface_hub import errors as hub_errors
from huggingface_hub.file_download import repo_folder_name
from huggingface_hub.utils.tqdm import disable_progress_bars

from components.errors import AppError, CheckpointError
from components.models.asking import RemoteFile, ask, within
from components.models.troubles import OutOfReachError, hub_trouble, sentence

logger = logging.getLogger(__name__)
disable_progress_bars()

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
_PATIENCE = 1.0  # seconds for the Hub to answer where what was fetched before would do
_BOT = "SFconvertbot"  # the Hub's own: it proposes pickled weights as safetensors
_PICKLED = (
    "has no weights in safetensors form, and pickled ones, which can run code, are never opened "
    "here."
)


def latest_commit(model_id: str, timeout: float) -> str:
    """Ask for the commit that `model_id` stands at, weights in safetensors form included.

    Raises UnknownModelError or CheckpointError.
    """
    found = ask(model_id, "config.json", timeout)
    if found is None:
        raise CheckpointError(sentence(model_id, "has no config.json."))
    proposed = _conversion(model_id, found.commit_hash, timeout)
    return str(proposed[1] if proposed else found.commit_hash)


def fetch_config(model_id: str, timeout: float, pin: str | None = None) -> Path:
    """Fetch config.json of `model_id`, at the commit `pin` if given; give the folder it lies in.

    The Hub gets `timeout` seconds to answer; out of reach, what was fetched before is used.
    Raises UnknownModelError or CheckpointError.
    """
    kept = _kept(model_id, pin)
    if kept is not None and pin is not None:  # a commit never changes
        return kept
    try:
        patience = timeout if kept is None else min(timeout, _PATIENCE)
        found = ask(model_id, "config.json", patience, pin)
    except OutOfReachError:
        if kept is None:
            raise
        return kept
    if found is None:
        raise CheckpointError(sentence(model_id, "has no config.json."))
    config = _download(model_id, "config.json", pin)
    if config is None:
        raise CheckpointError(sentence(model_id, "has no config.json."))
    return Path(config).parent  # the Hub's cache calls its folders by their commits


def fetch_conversion(model_id: str, folder: Path, timeout: float) -> Path:
    """Give the folder of the safetensors that the Hub's bot proposes for pickled weights.

    `folder` holds the config.json of the repository itself; it is given where nothing better is.
    """
    if has_weights(folder) or conversion_of(folder) is not None:
        return folder
    proposed = _conversion(model_id, folder.name, timeout)
    config = _download(model_id, "config.json", proposed[0]) if proposed else None
    return folder if config is None else Path(config).parent


def fetch_vocabulary(model_id: str, folder: Path) -> None:
    """Fetch the tokenizer that belongs to the config.json in `folder`, unless it is there.

    Raises CheckpointError when the Hub is out of reach.
    """
    with ThreadPoolExecutor(thread_name_prefix="hub") as pool:
        list(pool.map(lambda name: _fetch(model_id, name, folder.name), _VOCABULARY))


def missing_weights(model_id: str, folder: Path, timeout: float) -> tuple[RemoteFile, ...]:
    """Ask for the files with weights that `folder` lacks; nothing is fetched but their index.

    Raises CheckpointError when there are none in safetensors form, or the Hub is out of reach.
    """
    if has_weights(folder):
        return ()
    names = _shards(model_id, folder) if (folder / _INDEX).exists() else [WEIGHTS]
    wanted = [name for name in names if not (folder / name).exists()]
    found = [_file(model_id, name, folder.name, timeout) for name in wanted]
    if names == [WEIGHTS] and found == [None]:
        if ask(model_id, _INDEX, timeout, folder.name) is None:
            raise CheckpointError(sentence(model_id, _PICKLED))
        _fetch(model_id, _INDEX, folder.name)
        return missing_weights(model_id, folder, timeout)
    if None in found:
        raise CheckpointError(sentence(model_id, "lacks some of its files with weights."))
    return tuple(file for file in found if file is not None)


def has_weights(folder: Path) -> bool:
    """Say whether all weights of a checkpoint lie in `folder`."""
    if (folder / WEIGHTS).exists():
        return True
    index = folder / _INDEX
    return index.exists() and all((folder / name).exists() for name in _shards(folder.name, folder))


def conversion_of(folder: Path) -> str | None:
    """Name the proposal of the Hub's bot that `folder` was fetched from, as in "refs/pr/2"."""
    refs = folder.parent.parent / "refs"
    found = (ref for ref in sorted(refs.glob("refs/pr/*")) if ref.read_text() == folder.name)
    return next((ref.relative_to(refs).as_posix() for ref in found), None)


def forget_weights(folder: Path) -> None:
    """Drop the files with weights in `folder`, so that they are fetched anew."""
    for file in folder.glob("*.safetensors"):
        file.resolve().unlink(missing_ok=True)
        file.unlink(missing_ok=True)


def disk_bytes(folder: Path) -> int:
    """Count the bytes of the files with weights in `folder`."""
    return sum(file.stat().st_size for file in folder.glob("*.safetensors"))


def _kept(model_id: str, pin: str | None) -> Path | None:
    """Give the folder of what was fetched before, at the commit `pin` if given."""
    repository = repo_folder_name(repo_id=model_id, repo_type="model")
    place = Path(constants.HF_HUB_CACHE) / repository
    refs = [*sorted((place / "refs").glob("refs/pr/*")), place / "refs" / "main"]
    commits = [pin] if pin else [ref.read_text() for ref in refs if ref.is_file()]
    folders = [place / "snapshots" / commit for commit in commits]
    return next((folder for folder in folders if (folder / "config.json").is_file()), None)


def _conversion(model_id: str, commit: str, timeout: float) -> tuple[str, str] | None:
    """Give reference and commit at which pickled weights are proposed as safetensors.

    None where the repository has such weights itself, and where nobody proposed any.
    """
    try:
        if any(ask(model_id, name, timeout, commit) for name in (WEIGHTS, _INDEX)):
            return None
        reference = within(timeout + 1, lambda: _proposal(model_id))
        found = ask(model_id, WEIGHTS, timeout, reference) if reference else None
        return (str(reference), str(found.commit_hash)) if found else None
    except AppError:
        return None
    except Exception:
        logger.info("the Hub did not list what is proposed for %s", model_id, exc_info=True)
        return None


def _proposal(model_id: str) -> str | None:
    """Find what the Hub's own bot proposes; what others propose is never taken."""
    found = huggingface_hub.HfApi(endpoint=constants.ENDPOINT).get_repo_discussions(
        model_id,
        author=_BOT,
        discussion_type="pull_request",
        discussion_status="open",
        token=False,
    )
    of_bot = (one for one in found if one.is_pull_request and one.author == _BOT)
    return next((f"refs/pr/{one.num}" for one in of_bot if "safetensors" in one.title), None)


def _file(model_id: str, name: str, commit: str, timeout: float) -> RemoteFile | None:
    found = ask(model_id, name, timeout, commit)
    if found is None:
        return None
    return RemoteFile(model_id, name, commit, int(found.size or 0), str(found.etag or ""))


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
