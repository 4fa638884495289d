"""Numbers as people read them."""

from __future__ import annotations

_UNITS = ("bytes", "kB", "MB", "GB")


def percent(score: float) -> str:
    """Write a probability as a percentage, with the digits that still say something."""
    share = 100 * score
    if 0 < share < 0.01:
        return "< 0.01 %"
    if 99.99 < share < 100:
        return "> 99.99 %"
    return f"{share:.2f} %" if share < 1 or share > 99 else f"{share:.1f} %"


def signed(number: float) -> str:
    """Write a logit, or a difference of two, always with its sign."""
    return f"{number:+.2f}".replace("-", "−")


def points(change: float) -> str:
    """Write a difference of two probabilities in percentage points, always with its sign."""
    return f"{signed_points(change)} points"


def signed_points(change: float) -> str:
    """Write a difference of two probabilities in percentage points, without their name."""
    number = 100 * change
    if abs(number) < 0.005:
        return "±0.00" if number else "0"
    digits = 1 if abs(number) >= 1 else 2
    return f"{number:+.{digits}f}".replace("-", "−")


def cosine(number: float) -> str:
    """Write a cosine, or another number near 1."""
    written = f"{number:.2f}"
    return "0.00" if written == "-0.00" else written.replace("-", "−")


def step_name(step: int) -> str:
    """Name a step through the layers: the embeddings, or a layer as people count them."""
    return f"Layer {step}" if step else "Embeddings"


def name_of(layer: int, head: int) -> str:
    """Name a head as people count: `layer` and `head` are indices, from 0."""
    return f"head {head + 1} of layer {layer + 1}"


def size(count: float) -> str:
    """Write a number of bytes (1 kB = 1000 bytes)."""
    unit = 0
    while count >= 1000 and unit < len(_UNITS) - 1:
        count, unit = count / 1000, unit + 1
    return (
        f"{count:.0f} {_UNITS[unit]}"
        if count >= 100 or unit == 0
        else f"{count:.1f} {_UNITS[unit]}"
    )


def millions(count: int) -> str:
    """Write a number of parameters, as in "22.7 M"."""
    return f"{count / 1e6:.1f} M"


def milliseconds(seconds: float) -> str:
    """Write a short time."""
    return f"{1000 * seconds:.0f} ms" if seconds >= 0.01 else f"{1000 * seconds:.1f} ms"


def shortened(text: str, limit: int) -> str:
    """Cut a text that is longer than `limit` characters, and show that it was cut."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
