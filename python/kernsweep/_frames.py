"""Columns as frames of pandas or polars, or as plain rows."""
from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable
from typing import Any

from ._columns import Column
from .errors import FrameError

_INSTALL = "pip install pandas (or polars); rows() gives plain dicts without either"


def kind_of_frame(asked: str | None) -> str:
    """pandas or polars: the requested one, else the first that is installed."""
    if asked not in (None, "pandas", "polars"):
        raise FrameError(f"frame is 'pandas' or 'polars', not {asked!r}")
    for kind in (asked,) if asked else ("pandas", "polars"):
        if importlib.util.find_spec(kind) is not None:
            return kind
    what = f"{asked} is not" if asked else "neither pandas nor polars is"
    raise FrameError(f"{what} installed: {_INSTALL}")


def to_rows(columns: list[Column]) -> list[dict[str, Any]]:
    """One dict per row, None for NULL."""
    names = [column.name for column in columns]
    return [dict(zip(names, row)) for row in zip(*(column.list() for column in columns))]


def to_frame(columns: list[Column], frame: str | None, units: dict[str, str], plain: Iterable[str]) -> Any:
    """`plain`: names of text columns that do not become categories."""
    if kind_of_frame(frame) == "polars":
        return _polars(columns, set(plain))
    return _pandas(columns, units, set(plain))


def _pandas(columns: list[Column], units: dict[str, str], plain: set[str]) -> Any:
    numpy, pandas = importlib.import_module("numpy"), importlib.import_module("pandas")
    found: dict[str, Any] = {}
    for column in columns:
        rows = column.rows
        if column.kind == "blob" or (column.kind == "codes" and not column.texts):
            found[column.name] = pandas.Series(column.list(), dtype=object)
            continue
        kind = {"integer": "<i8", "real": "<f8"}.get(column.kind, f"<i{column.width}")
        numbers = numpy.frombuffer(column.data, kind, rows)
        if column.nulls:
            null = numpy.frombuffer(column.data, numpy.bool_, rows, rows * 8)
            found[column.name] = pandas.arrays.IntegerArray(numbers.copy(), null.copy())
        elif column.kind != "codes":
            found[column.name] = numbers.copy()  # bytes of the program cannot be written
        elif column.name in plain:
            values = numpy.array([*column.values, None], dtype=object)
            found[column.name] = pandas.Series(values[numbers], dtype=object)
        else:
            found[column.name] = pandas.Categorical.from_codes(numbers, column.values)
    table = pandas.DataFrame(found, copy=False)
    table.attrs["units"] = {column.name: units[column.name] for column in columns if column.name in units}
    return table


def _polars(columns: list[Column], plain: set[str]) -> Any:
    polars = importlib.import_module("polars")
    numpy = importlib.import_module("numpy") if importlib.util.find_spec("numpy") else None
    found = []
    for column in columns:
        rows = column.rows
        if column.kind == "blob" or (column.kind == "codes" and not column.texts):
            objects = polars.Binary if column.kind == "blob" else polars.Object
            found.append(polars.Series(column.name, column.list(), dtype=objects))
            continue
        if column.kind == "codes" and not column.values:
            dtype = polars.String if column.name in plain else polars.Categorical
            found.append(polars.repeat(None, rows, dtype=dtype, eager=True).alias(column.name))
            continue
        kind = {"integer": "<i8", "real": "<f8"}.get(column.kind, f"<i{column.width}")
        numbers = numpy.frombuffer(column.data, kind, rows) if numpy else column.numbers()
        if column.kind == "codes":
            dtype = polars.String if column.name in plain else polars.Categorical
            values = polars.Series(column.name, column.values, dtype=polars.String).cast(dtype)
            codes = polars.Series(column.name, numbers)
            found.append(values.gather(codes.set(codes < 0, None) if codes.min() == -1 else codes))
            continue
        series = polars.Series(column.name, numbers, dtype=polars.Float64 if column.kind == "real"
                               else polars.Int64)
        if column.kind == "real":
            series = series.fill_nan(None)
        elif column.nulls:
            null = polars.Series("null", list(column.null()), dtype=polars.UInt8) == 1
            series = series.set(null, None)
        found.append(series)
    return polars.DataFrame(found)
