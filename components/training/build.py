"""Builds a miniature: python -m components.training.build MODEL_ID --data DIR.

Interrupted, the same command goes on from the last checkpoint in `--runs`. On CPUs an allocator
that keeps its pages halves the time (3,800 against 8,100 tokens a second on two cores):
LD_PRELOAD=libjemalloc.so.2 MALLOC_CONF=thp:always,dirty_decay_ms:-1,muzzy_decay_ms:-1
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from components.training.assembly import Objectives, Places, make_network, make_tokenizer
from components.training.cards import Provenance, write_origin
from components.training.entities import fit_head
from components.training.evaluate import Evaluation
from components.training.evaluation import QUICK, measure
from components.training.export import export, parts
from components.training.loop import Training, find_device, plan, train
from components.training.networks import Network
from components.training.recipes import RECIPES, Recipe

PRINT_EVERY = 25  # steps


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="components.training.build", description=__doc__)
    parser.add_argument("model_id", choices=sorted(RECIPES))
    parser.add_argument("--data", type=Path, required=True, help="folder with the open data")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="checkpoints and caches")
    parser.add_argument("--out", type=Path, default=Path("assets/models"))
    parser.add_argument("--start", type=Path, help="a head start instead of the recipe's start")
    parser.add_argument("--start-note", default="", help="what that head start is, for the card")
    parser.add_argument("--start-tokens", type=float, default=0, help="tokens that it had seen")
    parser.add_argument("--remark", default="", help="what else the card should say of the run")
    parser.add_argument("--steps-scale", type=float, default=1.0, help="shorten for a trial")
    parser.add_argument("--threads", type=int, default=0, help="0: as many as there are cores")
    parser.add_argument("--only", choices=["train", "export", "evaluate"], help="one part alone")
    parser.add_argument("--quick", action="store_true", help="evaluate a small part")
    return parser.parse_args(arguments)


def run_training(
    training: Training, objectives: Objectives, checkpoint: Path, scale: float
) -> None:
    """Train to the end of the recipe, printing the mean losses."""
    steps = plan(training.recipe, scale)
    recent: dict[str, list[float]] = defaultdict(list)
    for number, losses in train(training, objectives.make(), steps, checkpoint):
        for name, value in losses.items():
            recent[name].append(value)
        if number % PRINT_EVERY == 0:
            means = "  ".join(f"{name} {np.mean(v):.3f}" for name, v in sorted(recent.items()))
            seen = f"{training.tokens / 1e6:.2f} M tokens, {training.seconds:.0f} s"
            print(f"{number}/{len(steps)}  {means}  {seen}", flush=True)
            recent.clear()


def write_origins(training: Training, places: Places, options: Any) -> None:
    """Write beside each exported network how it came about."""
    recipe = training.recipe
    start = options.start_note or recipe.start or f"{recipe.parent}, changed as below"
    provenance = Provenance.of(
        training, start=start, start_tokens=int(options.start_tokens), remark=options.remark
    )
    for name, (_, part) in parts(training.network, recipe.id).items():
        heads = tuple(head for head in part.heads if head not in recipe.left_out)
        write_origin(places.out / name, recipe, heads, provenance)


def fit_heads(network: Network, objectives: Objectives) -> None:
    """Fit what can be fitted once the encoder stands still: the head for named entities."""
    if "entities" in {name for stage in objectives.recipe.stages for name in stage.mix}:
        network.train(False)
        loss = fit_head(network, objectives.entities())
        print(f"named entities, head fitted: loss {loss:.3f}", flush=True)


def prepare(recipe: Recipe, places: Places) -> tuple[Training, Any, Network | None]:
    """Make the training where it stands, its tokenizer, and the parent it learns from."""
    tokenizer = make_tokenizer(recipe, places)
    network, parent = make_network(recipe, places, tokenizer)
    training = Training(network, recipe, find_device(), parent)
    if places.checkpoint(recipe).exists():
        training.restore(places.checkpoint(recipe))
    return training, tokenizer, parent


def main() -> None:
    """Train, export and evaluate one miniature."""
    logging.basicConfig(level=logging.INFO)
    options = parse(sys.argv[1:])
    if options.threads:
        torch.set_num_threads(options.threads)
    recipe = RECIPES[options.model_id]
    places = Places(options.data, options.runs, options.out, options.start)
    training, tokenizer, parent = prepare(recipe, places)
    if options.only in (None, "train"):
        objectives = Objectives(recipe, places, tokenizer, parent)
        run_training(training, objectives, places.checkpoint(recipe), options.steps_scale)
    if options.only in (None, "export"):
        training.use_average()
        fit_heads(training.network, Objectives(recipe, places, tokenizer, parent))
        export(training.network, tokenizer, recipe.id, places.out, recipe.left_out)
    if options.only in (None, "evaluate"):
        write_origins(training, places, options)
        how = QUICK if options.quick else Evaluation()
        for name in parts(training.network, recipe.id):
            measure(places.out / name, places, how)


if __name__ == "__main__":
    main()
