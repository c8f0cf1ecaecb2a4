"""The binary columns of `export --columns` and `sql --columns` (docs/reference/commands.md)."""
from __future__ import annotations

import json
import mmap
import sys
from array import array
from typing import Any

from ._call import OTHER
from .errors import ProgramNotFound

_CODES = {1: "b", 2: "h", 4: "i"}


class Column:
    """One column: its description and its bytes."""

    def __init__(self, described: dict[str, Any], rows: int, data: memoryview) -> None:
        self.name: str = described["name"]
        self.kind: str = described["kind"]
        self.rows = rows
        self.values: list[Any] = described.get("values", [])
        self.width: int = described.get("width", 8)
        self.nulls: bool = described.get("nulls", False)
        self.data = data

    @property
    def texts(self) -> bool:
        """Whether all values are texts; a column that is all NULL has none."""
        return self.kind == "codes" and all(isinstance(value, str) for value in self.values)

    def numbers(self) -> array[Any]:
        """The numbers, codes or sizes, one per row."""
        kind = {"integer": "q", "real": "d", "blob": "q"}.get(self.kind) or _CODES[self.width]
        found = array(kind, self.data[:self.rows * self.width].tobytes())
        if sys.byteorder == "big":
            found.byteswap()
        return found

    def null(self) -> bytes:
        """One byte per row of integers, 1 if the value is NULL; empty if none is."""
        return self.data[self.rows * 8:self.rows * 9].tobytes() if self.nulls else b""

    def list(self) -> list[Any]:
        """Plain values, None for NULL."""
        numbers = self.numbers()
        if self.kind == "codes":
            values = [*self.values, None]  # -1 is the last one
            return [values[code] for code in numbers]
        if self.kind == "real":
            return [value if value == value else None for value in numbers]
        if self.kind == "integer":
            null = self.null()
            return [None if no else value for value, no in zip(numbers, null)] if null else numbers.tolist()
        blobs: list[Any] = []
        at = self.rows * 8
        for size in numbers:
            blobs.append(None if size < 0 else self.data[at:at + size].tobytes())
            at += max(size, 0)
        return blobs


def read_columns(out: bytes | mmap.mmap) -> list[Column]:
    """The columns of the program's output; their bytes are shared, not copied."""
    end = out.find(b"\n") + 1
    try:
        head = json.loads(out[:end])
        if head["columns_version"] != 1:
            raise ValueError("the columns are of another version than this package reads")
    except (ValueError, TypeError, KeyError) as error:
        raise ProgramNotFound(OTHER) from error
    data = memoryview(out)[end:]
    return [Column(column, head["rows"], data[column["at"]:]) for column in head["columns"]]
