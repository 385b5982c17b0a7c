"""What the socket of a server has to have for answers to be sent at once."""

from __future__ import annotations

import asyncio
import socket

from rogue_bandits.study.serving import bound_socket


def test_answers_do_not_wait_for_acknowledgements() -> None:
    """A body that was sent after its head waited 40 ms for the acknowledgement of the head."""

    async def is_sent_at_once() -> bool:
        found = asyncio.get_running_loop().create_future()

        def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            accepted = writer.get_extra_info("socket")
            found.set_result(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with bound_socket("127.0.0.1", 0) as listening:
            async with await asyncio.start_server(answer, sock=listening):
                _, writer = await asyncio.open_connection(*listening.getsockname())
                at_once = bool(await found)
                writer.close()
                await writer.wait_closed()
        return at_once

    assert asyncio.run(is_sent_at_once())
