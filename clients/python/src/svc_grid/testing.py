"""Services for tests: in memory, on a free port, with fixtures, a clock that tests advance, and `reset` between tests.

They run the program `svc` from the PATH, or the command in the variable SVC_TEST_COMMAND. With pytest, the fixture
`svc_service` has one (see `svc_grid.pytest_plugin`).
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from types import TracebackType
from typing import Any, Dict, Mapping, Optional, Sequence, Type

from ._client import SvcClient

#: Entries, statements or rows: `{"entries": {...}, "cacheName": "..."}`, `{"sql": "..."}`, `{"table": "...", "csv": "..."}`
#: or `{"table": "...", "ndjson": "..."}`.
Fixture = Mapping[str, Any]

_STOP_SECONDS = 30


class TestService:
    """A service for tests. Ends with `stop`, as a context manager, and with the program.

    Args:
        fixtures: What the service contains at first, and again after `reset`.
        args: Options as on the command line of `svc serve`.
        command: The program and its first arguments. Default: the variable SVC_TEST_COMMAND, else `svc`.
        client: Arguments of the client: `user` and `password`, or `token`.
    """

    # pytest must not collect it from test modules that import it.
    __test__ = False

    def __init__(
        self,
        *,
        fixtures: Sequence[Fixture] = (),
        args: Sequence[str] = (),
        command: Optional[Sequence[str]] = None,
        client: Optional[Mapping[str, Any]] = None,
    ) -> None:
        if command is None:
            command = shlex.split(os.environ.get("SVC_TEST_COMMAND", "svc"))
        # Signals of the terminal are for the tests, which then stop the service.
        self._process = subprocess.Popen(
            [*command, "test-service", *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        )
        self._client: Optional[SvcClient] = None
        try:
            #: The endpoint: `http://localhost:PORT/svc`.
            self.url = str(self._read()["url"])
            #: A client of the service.
            self.client = self._client = SvcClient(self.url, **(client or {}))
            self.load(*fixtures)
            self.snapshot()
        except BaseException:
            self.stop()
            raise

    def load(self, *fixtures: Fixture) -> None:
        """Adds fixtures, in order."""
        self._call({"call": "load", "fixtures": fixtures})

    def snapshot(self) -> None:
        """Saves the contents for `reset`."""
        self._call({"call": "snapshot"})

    def reset(self) -> None:
        """Restores the last snapshot or, without one, the contents after loading the fixtures."""
        self._call({"call": "reset"})

    def advance(self, seconds: float) -> None:
        """Advances the time of the service: entries, rows and sessions expire."""
        self._call({"call": "advance", "ms": seconds * 1000})

    def stop(self) -> None:
        """Ends the service and discards its data."""
        if self._client is not None:
            self._client.close()
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> TestService:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.stop()

    def _call(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        self._read()

    def _read(self) -> Dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if line == "":
            raise RuntimeError(f"the test service has ended, with code {self._process.wait(_STOP_SECONDS)}")
        answer: Dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer
