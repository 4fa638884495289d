"""The command line of the benches, see the package."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.update(
    GRADIO_ANALYTICS_ENABLED="False",
    HF_HUB_DISABLE_TELEMETRY="1",
    HF_HUB_OFFLINE="1",
    TOKENIZERS_PARALLELISM="false",
)

from components.config import ASSETS
from tests.bench import (
    attention,
    classroom,
    fill_mask,
    head_map,
    load,
    memory,
    question_answering,
    start,
)
from tests.bench.ratio import Ratio, table

BENCHES = {
    "attention": attention.measure,
    "classroom": classroom.measure,
    "fill_mask": fill_mask.measure,
    "head_map": head_map.measure,
    "load": load.measure,
    "memory": memory.measure,
    "question_answering": question_answering.measure,
    "start": start.measure,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("names", nargs="*", choices=[*BENCHES, []], default=[])
    parser.add_argument("--models", type=Path, default=ASSETS / "models")
    chosen = parser.parse_args()
    ratios: list[Ratio] = []
    for name in chosen.names or BENCHES:
        ratios += BENCHES[name](chosen.models.resolve())
    print(table(ratios))


if __name__ == "__main__":
    main()
