"""A chat server that answers after a while, for clients of the bench. In: a file. Out: answers.

The file is JSON, and optional: by a text of a question its answer, the first that is in it. The
server runs as a process of its own, so that a client's CPU time is the client's alone; `GET /count`
is how many questions came, and how many different ones.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from pathlib import Path

LATENCY = 0.05
"""Seconds until it answers."""


def main() -> None:
    """Serve until the process ends; the first line of output is the port."""
    given = json.loads(Path(sys.argv[1]).read_text()) if len(sys.argv) > 1 else {"": "b) Non-hate"}
    asyncio.run(_serve({text.encode(): _answer(answer) for text, answer in given.items()}))


def _answer(text: str) -> bytes:
    return json.dumps(
        {
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}],
            "model": "bench-2026",
            "usage": {"prompt_tokens": 900, "completion_tokens": 6},
        }
    ).encode()


async def _serve(answers: dict[bytes, bytes]) -> None:
    came: list[bytes] = []

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                if head.startswith(b"get"):
                    content = json.dumps([len(came), len(set(came))]).encode()
                else:
                    length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
                    body = await reader.readexactly(length)
                    came.append(hashlib.sha256(body).digest())
                    await asyncio.sleep(LATENCY)
                    content = next(answers[text] for text in answers if text in body)
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    b"Content-Length: %d\r\n\r\n%b" % (len(content), content)
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, limit=2**22)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    main()
