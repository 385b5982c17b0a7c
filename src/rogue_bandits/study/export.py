"""One row a decision, ready for a weighted and centred least-squares analysis; CSV and Parquet, with a codebook."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from rogue_bandits.study.answers import decision_id
from rogue_bandits.study.design import StudyDesign
from rogue_bandits.study.storage.sql import Reader

if TYPE_CHECKING:
    from rogue_bandits.study.service import Service

FORMULAS = ("=", "+", "-", "@")  # what begins one in a spreadsheet
PAGE = 5_000  # rows read at a time
CHUNK = 1 << 16  # bytes of a file


class ExportColumn(NamedTuple):
    """A column of the export."""

    name: str
    kind: str  # text, whole, number or truth
    about: str


def codebook(design: StudyDesign) -> list[ExportColumn]:
    """Return what every column means."""
    arms = ", ".join(design.names)
    return [
        ExportColumn("person", "text", "random name of the person; the same in the log"),
        ExportColumn("group", "text", "group given at enrolment; empty where none was"),
        ExportColumn("start", "text", "first day with decisions, given at enrolment; empty where none was"),
        ExportColumn("decision", "text", "id of the decision"),
        ExportColumn("number", "whole", "number of the decision of this person, from 0"),
        ExportColumn("time", "text", "time of the decision, ISO 8601 with offset"),
        ExportColumn("day", "text", "date of the decision by its own clock"),
        ExportColumn("available", "whole", "1 if at least one arm could be chosen, else 0"),
        ExportColumn("action", "text", f"arm that was chosen: {arms}; empty for a rest"),
        ExportColumn("probability", "number", "probability with which the action was chosen; 1 for a rest"),
        *(ExportColumn(f"available_{name}", "whole", f"1 if '{name}' could be chosen") for name in design.names),
        *(
            ExportColumn(f"probability_{name}", "number", f"probability of '{name}' at this decision")
            for name in design.names
        ),
        ExportColumn("reward", "number", "value as it was reported, before scaling; empty where there is none"),
        ExportColumn("missing", "text", "reason why there is no reward; empty where it has come or is awaited"),
        ExportColumn("corrected", "whole", "how often the reward was corrected; the row has the last value"),
        ExportColumn("delivered", "text", "sent, failed or seen; empty where nothing was reported"),
        ExportColumn("fallback", "text", "why the fallback decided; empty where the policy did"),
        ExportColumn("scheduled", "whole", "1 if it was decided ahead, for a phone that was offline"),
        ExportColumn("version", "whole", "version of the study under which it was decided"),
    ]


def codebook_csv(design: StudyDesign) -> str:
    """Return the codebook as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([("column", "kind", "about"), *codebook(design)])
    return out.getvalue()


def export_rows(reader: Reader, design: StudyDesign) -> Iterator[list[Any]]:
    """Yield a row for each decision, person by person, in the order of their numbers."""
    who, last = "", -1
    while True:
        page = reader.rows(
            "SELECT d.pid, p.grp, p.start, d.number, d.time, d.day, d.arm, d.probability, d.available, "
            "d.probabilities, d.reward, d.missing, d.corrected, d.delivery, d.fallback, d.scheduled, d.version "
            "FROM decisions d JOIN people p ON p.pid = d.pid WHERE d.pid > ? OR (d.pid = ? AND d.number > ?) "
            "ORDER BY d.pid, d.number LIMIT ?", (who, who, last, PAGE),
        )  # fmt: skip
        for pid, group, start, number, time, day, arm, p, can, every, *rest in page:
            each = json.loads(can)
            yield [
                pid, group, start, decision_id(pid, int(number)), int(number), time, day, int(any(each)),
                design.names[arm] if arm >= 0 else None, p, *each, *json.loads(every), *rest,
            ]  # fmt: skip
        if len(page) < PAGE:
            return
        who, last = page[-1][0], int(page[-1][3])


def as_csv(reader: Reader, design: StudyDesign) -> Iterator[str]:
    """Yield the export as CSV text, some rows at a time."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow([column.name for column in codebook(design)])
    for k, row in enumerate(export_rows(reader, design)):
        table.writerow([cell(value) for value in row])
        if k % PAGE == PAGE - 1:
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()


def cell(value: Any) -> Any:
    """Return a cell of the CSV. A spreadsheet would run text that begins like a formula: it gets an apostrophe.

    >>> cell("=1+1"), cell("A"), cell(-0.5), cell(None)
    ("'=1+1", 'A', -0.5, '')
    """
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULAS) else value


def write_parquet(reader: Reader, design: StudyDesign, file: IO[bytes]) -> None:
    """Write the export as Parquet; the codebook is in the metadata of the columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"text": pa.string(), "whole": pa.int64(), "number": pa.float64()}
    columns = codebook(design)
    schema = pa.schema([pa.field(c.name, types[c.kind], metadata={"about": c.about}) for c in columns])
    with pq.ParquetWriter(file, schema) as writer:
        rows: list[list[Any]] = []
        for row in export_rows(reader, design):
            rows.append(row)
            if len(rows) == PAGE:
                writer.write_table(table_of(rows, schema))
                rows = []
        if rows:
            writer.write_table(table_of(rows, schema))


def table_of(rows: list[list[Any]], schema: Any) -> Any:
    """Return rows as an Arrow table."""
    import pyarrow as pa

    columns = [
        pa.array(list(column), field.type) for column, field in zip(zip(*rows, strict=True), schema, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=schema)


# ---- of a study that is open -----------------------------------------------------------------------------------------
def csv_chunks(service: Service) -> Iterator[str]:
    """Yield the CSV within one consistent view."""
    with service.storage.reading() as reader:
        yield from as_csv(reader, service.design)


def parquet_chunks(service: Service) -> Iterator[bytes]:
    """Yield the Parquet file, made on disk, as it ends with its index."""
    with tempfile.TemporaryFile() as file:
        with service.storage.reading() as reader:
            write_parquet(reader, service.design, file)
        file.seek(0)
        while chunk := file.read(CHUNK):
            yield chunk


CHUNKS: dict[str, Any] = {"csv": csv_chunks, "parquet": parquet_chunks}
