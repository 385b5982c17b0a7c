"""A small HTTP client over asyncio streams, so that a load test spends its time in the server."""

from __future__ import annotations

import asyncio
import json
from typing import Any


class Gone(Exception):  # noqa: N818  # it reads as it happened
    """The server closed the connection, or was not there."""


class Connection:
    """One kept-alive connection to a server on this machine."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n".encode()
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: Any) -> tuple[int, Any]:
        """Send a request; return the status and the answer. Raises Gone."""
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection("127.0.0.1", self._port)
            reader, writer = self._streams
            content = json.dumps(body).encode()
            line = f"POST {path} HTTP/1.1\r\nContent-Length: {len(content)}\r\n".encode()
            writer.write(line + self._head + b"\r\n" + content)
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ", 1)[1].split(b"\r\n", 1)[0])
            return int(head[9:12]), json.loads(await reader.readexactly(length))
        except (OSError, asyncio.IncompleteReadError) as error:
            self.close()
            raise Gone(str(error)) from None

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None
