"""A server in front of a service that loses answers, rejects requests and cuts streams, as its tests say."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Dict, List, NamedTuple, Optional


class Fault(NamedTuple):
    """What happens to one request."""

    #: Answers with this status instead of sending the request on.
    status: Optional[int] = None
    headers: Dict[str, str] = {}
    #: A surrogate is a byte that is no UTF-8.
    body: str = '{"successStatus":1}'
    #: Sends the request on, and closes the connection instead of answering.
    loses_answer: bool = False
    #: Answers with so many lines and cuts the connection.
    cut_after_lines: Optional[int] = None
    #: Sends the request on with this token.
    token: Optional[str] = None


class FaultyServer:
    """Counts requests by command. The faults of `faults` happen to the next requests, in order; None: no fault."""

    def __init__(self, target: str) -> None:
        self.commands: List[str] = []
        self.faults: List[Optional[Fault]] = []
        self.keys: List[Optional[str]] = []
        origin, _, self._name = target.rpartition("/")
        own = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                own._handle(self, origin)

            do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/{self._name}"

    def __enter__(self) -> FaultyServer:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handle(self, handler: BaseHTTPRequestHandler, origin: str) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", "0")))
        self.commands.append(handler.path.partition("?")[0].rpartition("/")[2])
        self.keys.append(handler.headers.get("Idempotency-Key"))
        fault = (self.faults.pop(0) if self.faults else None) or Fault()
        if fault.status is not None:
            self._answer(handler, fault.status, dict(fault.headers), fault.body.encode(errors="surrogateescape"))
            return
        names = ("Content-Type", "Authorization", "Accept", "Prefer", "Idempotency-Key")
        headers = {name: handler.headers[name] for name in names if handler.headers[name] is not None}
        if fault.token is not None:
            headers["Authorization"] = f"Bearer {fault.token}"
        method = handler.command
        request = urllib.request.Request(
            origin + handler.path, body if method == "POST" else None, headers, method=method
        )
        try:
            with urllib.request.urlopen(request) as answer:
                status, sent, data = answer.status, dict(answer.headers), answer.read()
        except urllib.error.HTTPError as error:
            status, sent, data = error.code, dict(error.headers), error.read()
        if fault.loses_answer:
            handler.close_connection = True
            return
        if fault.cut_after_lines is not None:
            lines = data.split(b"\n")[: fault.cut_after_lines]
            # The length promises more than is sent.
            self._answer(handler, status, sent, b"".join(line + b"\n" for line in lines), len(data) + 1)
            handler.close_connection = True
            return
        self._answer(handler, status, sent, data)

    @staticmethod
    def _answer(
        handler: BaseHTTPRequestHandler, status: int, headers: Dict[str, str], body: bytes, length: Optional[int] = None
    ) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            if name.lower() in ("content-type", "retry-after", "error-code"):
                handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body) if length is None else length))
        handler.end_headers()
        handler.wfile.write(body)
