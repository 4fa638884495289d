"""Benches: ratios, each measured in one run against a named baseline.

    python -m tests.bench                    all of them
    python -m tests.bench fill_mask memory   some of them
    python -m tests.bench --models DIR       with checkpoints that are not the bundled ones

They print a table for the README. pytest does not collect them, and they assert no time: the clock
of a shared machine proves nothing, the ratio of two things measured in turns says something.
Add one as a module here with `measure(models_dir) -> Sequence[Ratio]`, and a line in BENCHES.
"""
