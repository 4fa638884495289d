"""Ask: one input for a network and what is wanted of it, so that passes can be shared."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from components.models.encoding import Encoding

_SHORTEST = 16  # tokens: below, inputs of any length go together


@dataclass(frozen=True, slots=True)
class Ask:
    """One input; `positions` as in `run`, `flags` the further outputs that are asked for."""

    encoding: Encoding
    positions: tuple[int, ...] | None
    flags: tuple[str, ...]
    limit: int  # positions of one pass, padding included

    @property
    def bucket(self) -> int:
        """The length up to which inputs go together: less than half of a pass is padding."""
        return max(_SHORTEST, 1 << (len(self.encoding) - 1).bit_length())

    @property
    def kind(self) -> Hashable:
        """What inputs of one pass have in common."""
        return self.flags, self.positions is None, self.bucket

    @property
    def room(self) -> int:
        """How many inputs of this kind fit into one pass."""
        return self.limit // self.bucket
