"""Results of checks of many URNs, as streamed JSON."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from rest_framework.renderers import JSONRenderer

BLOCK = 250  # results that are sent at once
# ASCII only, so that a text with a lone surrogate can be returned.
to_json = json.JSONEncoder(separators=(",", ":")).encode


class JSONLinesRenderer(JSONRenderer):
    """One JSON value a line."""

    media_type = "application/jsonl"
    format = "jsonl"


@dataclass(frozen=True, slots=True)
class BulkResults:
    """The results as JSON, in the order of the texts. The totals are complete after the last one."""

    results: Iterator[str]
    totals: dict[str, int]

    def as_lines(self) -> Iterator[bytes]:
        """JSON Lines, without the totals."""
        for block in self._blocks():
            yield ("\n".join(block) + "\n").encode()

    def as_object(self) -> Iterator[bytes]:
        """One object with the results and the totals."""
        yield b'{"results":['
        separator = ""
        for block in self._blocks():
            yield (separator + ",".join(block)).encode()
            separator = ","
        yield f"],{to_json(self.totals)[1:]}".encode()

    def _blocks(self) -> Iterator[list[str]]:
        while block := list(islice(self.results, BLOCK)):
            yield block
