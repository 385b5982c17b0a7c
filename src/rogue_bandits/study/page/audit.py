"""Export and audit: downloads, the codebook, the log and the check of its chain of hashes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from rogue_bandits.study.export import codebook, codebook_csv, csv_chunks, parquet_chunks
from rogue_bandits.study.page.access import in_page_thread, own_form
from rogue_bandits.study.page.html import page
from rogue_bandits.study.problems import not_found
from rogue_bandits.study.replay import SHOWN, verify
from rogue_bandits.study.service import Service


def audit(request: Request) -> Response:
    """Show downloads and the head of the log."""
    service: Service = request.app.state.service
    with service.storage.reading() as reader:
        head = reader.head()
    return page(request, "audit.html", head=head, columns=codebook(service.design), files=FILES)


async def verified(request: Request) -> Response:
    """Check the chain."""
    await own_form(request, "verify")
    return await in_page_thread(checked_chain, request)


def checked_chain(request: Request) -> Response:
    """Show what a check of the chain finds."""
    service: Service = request.app.state.service
    with service.storage.reading() as reader:
        head, found = reader.head(), verify(reader)
    return page(request, "verified.html", found=found, head=head, shown=found.faults[:SHOWN])


def download(request: Request) -> Response:
    """Send a file."""
    name = request.path_params["name"]
    if name not in FILES:
        raise not_found("file", name)
    file = FILES[name]
    headers = {"Content-Disposition": f"attachment; filename={name}"}
    return StreamingResponse(file.chunks(request.app.state.service), media_type=file.media, headers=headers)


def codebook_chunks(service: Service) -> Iterator[str]:
    """Yield the codebook as CSV."""
    yield codebook_csv(service.design)


def log_chunks(service: Service) -> Iterator[str]:
    """Yield the log as JSON lines: what the hashes were computed from, so that others can compute them again."""
    with service.storage.reading() as reader:
        for row in reader.events():
            key = None if row.key is None else row.key.hex()
            yield json.dumps({**row._asdict(), "key": key, "hash": row.hash.hex()}) + "\n"


class File(NamedTuple):
    """A file to download."""

    about: str
    media: str
    chunks: Any


FILES = {
    "decisions.csv": File("every decision as a table, for a spreadsheet, R or Python", "text/csv", csv_chunks),
    "decisions.parquet": File("the same, compact, with types", "application/vnd.apache.parquet", parquet_chunks),
    "codebook.csv": File("what every column means", "text/csv", codebook_chunks),
    "log.jsonl": File("all events with their hashes, for an audit", "application/jsonl", log_chunks),
}
