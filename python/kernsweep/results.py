"""A results database, its rows as frames and its answers."""
from __future__ import annotations

import html
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ._call import ask
from ._columns import Column, read_columns
from ._frames import to_frame, to_rows
from ._views import VIEWS
from .errors import DatabaseError, NotFound

_PLAIN = ("output_hash", "reason")  # texts that few rows share
_CLAIMED = {0: "confirmed", 1: "refuted", 4: "undecided"}


def _number(column: str, kind: str | None) -> str:
    return column if kind is None else f"cast({column} as {kind})"


class Answer(Mapping[str, Any]):
    """The answer of a command: a mapping of its --json. As text it is what the command prints.

    `rows` are those of its table, if it has one; `verdict` is that of a comparison or of claims.
    """

    def __init__(self, asked: tuple[str, str, list[str], list[str]], data: Any, verdict: str = "") -> None:
        self._asked = asked  # what ask() takes
        self._data: dict[str, Any] = data if isinstance(data, dict) else {"rows": data}
        self._text: str | None = None
        self.verdict = verdict

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the answer; empty if it has no table."""
        return next((self._data[key] for key in ("rows", "claims") if key in self._data), [])

    def __repr__(self) -> str:
        if self._text is None:
            self._text = ask(*self._asked).text().rstrip("\n")
        return self._text

    def _repr_html_(self) -> str:
        verdict = f"<p><b>{html.escape(self.verdict)}</b></p>" if self.verdict else ""
        return f"{verdict}<pre>{html.escape(repr(self))}</pre>"


class Results:
    """A results database. Each call reads the file again, so the file may still be written to.

    `sweep` of a call is the name or number of a sweep; without it, that of `open`, or the newest.
    """

    def __init__(self, database: str | os.PathLike[str], sweep: str | int | None = None,
                 told: Mapping[str, Any] | None = None) -> None:
        self.database = os.fspath(database)
        self.sweep = sweep
        self.told = dict(told or {})
        self._rows("select count(*) from sweep")

    def results(self, *, sweep: str | int | None = None, frame: str | None = None) -> Any:
        """A frame with one row per job of a sweep, axes as columns: the sweep's view.

        Texts are categories. `frame.attrs["units"]` of pandas has the units. Look at `status` and `grade`.
        `frame`: "pandas" or "polars"; by default the first that is installed.
        """
        return to_frame(self._exported(sweep), frame, _units("results"), _PLAIN)

    def rows(self, *, sweep: str | int | None = None) -> list[dict[str, Any]]:
        """The rows of `results` as plain dicts: None for NULL. Needs neither pandas nor polars."""
        return to_rows(self._exported(sweep))

    def points(self, *, sweep: str | int | None = None, frame: str | None = None) -> Any:
        """A frame with one row per point, cache state and kind of host: the view `verdict`.

        An axis named like a column of that view is called `axis.NAME`.
        """
        number, view = self._sweep_of(sweep)
        fixed = list(VIEWS["verdict"])
        described = self._rows("select view_name, derived from sweep_column "
                               f"where sweep_id = {number} order by position")
        axes = [row["view_name"] for row in described]
        # Texts that are numbers as written (1.50, 007) are numbers here.
        as_number = {row["view_name"]: "integer" if row["derived"] == 2 else "real"
                     for row in described if row["derived"] in (2, 3)}
        taken = {name.lower() for name in fixed}
        named = [_number(f"a.{_quoted(axis)}", as_number.get(axis)) + " as "
                 + _quoted(f"axis.{axis}" if axis.lower() in taken else axis) for axis in axes]
        inner = ", ".join(["point as kernsweep_point", *(_quoted(axis) for axis in axes)])
        outer = ", ".join([f"v.{_quoted(name)}" for name in fixed] + named)
        columns = self._columns(f"select {outer} from verdict v join (select {inner} from {_quoted(view)} "
                                f"group by point) a on a.kernsweep_point = v.point "
                                f"where v.sweep_id = {number} order by v.point, v.cache, v.host_kind")
        _type(columns, "verdict")
        return to_frame(columns, frame, _units("verdict"), _PLAIN)

    def samples(self, *, sweep: str | int | None = None, frame: str | None = None) -> Any:
        """A frame with one row per sample of a sweep: point, job, result, sample from 0, seconds."""
        number, _ = self._sweep_of(sweep)
        columns = self._columns(
            "select r.point, r.job, r.result, s.seconds from results r join sample s on s.result = r.result "
            f"where r.sweep_id = {number} order by r.job")
        blobs = columns[3].list()
        sizes = [len(blob) // 8 for blob in blobs]
        spread = [_repeated(column, sizes) for column in columns[:3]]
        spread.append(_column("sample", "integer", b"".join(
            number.to_bytes(8, "little") for size in sizes for number in range(size)), sum(sizes)))
        spread.append(_column("seconds", "real", b"".join(blobs), sum(sizes)))
        return to_frame(spread, frame, {"seconds": "s"}, ())

    def sql(self, query: str, *, frame: str | None = None) -> Any:
        """A frame with the answer to one select statement. Texts are plain, units are unknown."""
        columns = self._columns(query)
        return to_frame(columns, frame, {}, [column.name for column in columns])

    def sweeps(self) -> list[dict[str, Any]]:
        """The sweeps of the database, newest first, as plain dicts."""
        return self._rows("select id, name, kernel, state, quick, raw_points as points, raw_jobs as jobs, "
                          "started_unix_s, ended_unix_s from sweep order by id desc")

    def best(self, *, by: Sequence[str] | str | None = None, metric: str | None = None,
             better: str | None = None, grade: str | None = None, margin: str | None = None,
             sweep: str | int | None = None) -> Answer:
        """The best setting for each problem, as `kernsweep best` computes it."""
        columns = by if by is None or isinstance(by, str) else ",".join(by)
        return self._answer("best", [], sweep, by=columns, metric=metric, better=better, grade=grade,
                            margin=margin)

    def compare(self, a: str, b: str, *, where: str | None = None, margin: str | None = None,
                all_grades: bool = False, other_inputs: bool = False,
                sweep: str | int | None = None) -> Answer:
        """Is B faster than A? Both as `kernsweep compare` takes them, such as "variant=blas"."""
        return self._answer("compare", [a, b], sweep, {3: "not comparable"}, where=where, margin=margin,
                            all_grades=all_grades, other_inputs=other_inputs)

    def claims(self, *, margin: str | None = None, all_grades: bool = False,
               sweep: str | int | None = None) -> Answer:
        """What the sweep's file claims, judged as by `kernsweep claims`."""
        return self._answer("claims", [], sweep, _CLAIMED, margin=margin, all_grades=all_grades)

    def show(self, result: int | str, *, diff: int | str | None = None) -> Answer:
        """One result by its number or SWEEP/JOB, or its differences from another."""
        return self._answer("show", [str(result)], None, named=False,
                            diff=None if diff is None else str(diff))

    def __repr__(self) -> str:
        lines = [f"Results of {self.database}"]
        lines += [f"  {row['name']}@{row['id']}: {row['kernel']}, {row['state']}" for row in self.sweeps()]
        if self.told:
            lines += ["", repr(self.best())]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"

    # Asking.

    def _answer(self, command: str, words: list[str], sweep: str | int | None,
                verdicts: Mapping[int, str] | None = None, named: bool = True,
                **options: str | bool | None) -> Answer:
        arguments = [] if not named else self._named(sweep)
        for name, value in options.items():
            if value is not None and value is not False:
                option = f"--{name.replace('_', '-')}"
                arguments.append(option if value is True else f"{option}={value}")
        said = ask(command, self.database, [*arguments, "--json"], words)
        asked = (command, self.database, arguments, words)
        told = said.json()
        verdict = (verdicts or {}).get(said.status) or told.get("verdict", "")
        return Answer(asked, told, str(verdict))

    def _named(self, sweep: str | int | None) -> list[str]:
        which = self.sweep if sweep is None else sweep
        return [] if which is None else [f"--sweep={which}"]

    def _exported(self, sweep: str | int | None) -> list[Column]:
        columns = read_columns(ask("export", self.database, ["--columns", *self._named(sweep)], []).out)
        _type(columns, "results")
        return columns

    def _columns(self, query: str) -> list[Column]:
        return read_columns(ask("sql", self.database, ["--columns"], [query]).out)

    def _rows(self, query: str) -> list[dict[str, Any]]:
        return to_rows(self._columns(query))

    def _sweep_of(self, sweep: str | int | None) -> tuple[int, str]:
        """The number of a sweep and the name of its view; best() says why there is none."""
        which = self.sweep if sweep is None else sweep
        text = "" if which is None else str(which)
        name, _, number = text.rpartition("@")
        for row in self.sweeps():
            by_number = str(row["id"]) == number and name in ("", row["name"])
            if not text or text == row["name"] or by_number:
                return row["id"], f"{row['name']}@{row['id']}"
        self.best(sweep=sweep)
        raise NotFound(f"{self.database}: there is no sweep {text!r}")


def open(database: str | os.PathLike[str], sweep: str | int | None = None) -> Results:  # noqa: A001
    """Opens a results database for questions. `sweep`: the default sweep of the questions."""
    path = os.fspath(database)
    if os.path.isdir(path):
        raise DatabaseError(f"{path}: is a folder, no database")
    return Results(path, sweep)


def _units(view: str) -> dict[str, str]:
    return {name: unit for name, (_, unit) in VIEWS[view].items() if unit}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _type(columns: list[Column], view: str) -> None:
    """Gives a documented column that is all NULL the type that it would have otherwise."""
    for column in columns:
        kind, _ = VIEWS[view].get(column.name, ("text", ""))
        if column.kind != "codes" or column.values or kind not in ("real", "integer"):
            continue
        column.kind, column.width, column.nulls = kind, 8, kind == "integer"
        nan = b"\0\0\0\0\0\0\xf8\x7f"
        none = bytes(8 * column.rows) + b"\1" * column.rows
        column.data = memoryview(nan * column.rows if kind == "real" else none)


def _column(name: str, kind: str, data: bytes, rows: int) -> Column:
    return Column({"name": name, "kind": kind}, rows, memoryview(data))


def _repeated(column: Column, sizes: list[int]) -> Column:
    raw = [number.to_bytes(8, "little", signed=True) * size
           for number, size in zip(column.list(), sizes)]
    return _column(column.name, "integer", b"".join(raw), sum(sizes))
