"""One measured ratio, and the table of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """`ours` against `baseline`, in `unit`; smaller is better, and `aim` is what is wanted."""

    what: str
    baseline_name: str
    ours: float
    baseline: float
    unit: str
    aim: float
    how: str

    @property
    def value(self) -> float:
        return self.ours / self.baseline


def table(ratios: Sequence[Ratio]) -> str:
    lines = [
        "| what | ours | baseline | ratio | aim | how |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for r in ratios:
        lines.append(
            f"| {r.what} | {r.ours:.3g} {r.unit} | {r.baseline:.3g} {r.unit} ({r.baseline_name}) "
            f"| **{r.value:.{2 if r.value >= 0.1 else 4}f}×** | ≤ {r.aim:.2f}× | {r.how} |"
        )
    return "\n".join(lines)
