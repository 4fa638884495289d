"""Run by the old transformers, see question_answering.py: answers each line of its input."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import torch
import transformers


def main() -> None:
    assert transformers.__version__.startswith("4."), transformers.__version__
    answer = transformers.pipeline(
        "question-answering",
        model=str(Path(sys.argv[1]) / "bert-mini"),
        device="cpu",
        torch_dtype=torch.float32,
    )
    options = {"max_seq_len": 384, "doc_stride": 128, "max_answer_len": 30}
    answer(question="Who ran?", context="The boats ran past the mill. " * 100, **options)
    print("ready", flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        begin = time.perf_counter()
        found = answer(**asked, **options)
        seconds = time.perf_counter() - begin
        print(json.dumps({"seconds": seconds, "answer": found["answer"]}), flush=True)


if __name__ == "__main__":
    main()
