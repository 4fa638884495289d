"""The app that a course's homework would be: Gradio, pipelines, one checkpoint a tab; for `load`.

`python -m tests.bench.homework DIR`
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import gradio as gr
import torch
from transformers import AutoTokenizer, BertForNextSentencePrediction, pipeline


def build(folder: str) -> gr.Blocks:
    kept: dict[str, Any] = {"device": "cpu", "dtype": torch.float32}
    filler = pipeline("fill-mask", model=folder, top_k=5, **kept)
    classifier = pipeline("text-classification", model=folder, top_k=None, **kept)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    judge = BertForNextSentencePrediction.from_pretrained(folder, dtype=torch.float32).eval()

    def next_sentence(first: str, second: str) -> list[float]:
        with torch.no_grad():
            logits = judge(**tokenizer(first, second, return_tensors="pt")).logits
        return logits.softmax(-1)[0].tolist()

    def fill_mask(text: str) -> list[dict[str, Any]]:
        return filler(text)

    def sentiment(text: str) -> list[dict[str, Any]]:
        return classifier(text)

    with gr.Blocks() as demo:
        for answer in (fill_mask, sentiment, next_sentence):
            gr.api(answer, api_name=answer.__name__)
    return demo


if __name__ == "__main__":
    build(str(Path(sys.argv[1]) / "bert-mini")).launch()
