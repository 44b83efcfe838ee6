"""The last line of a stream of rows that fails after the first rows have been sent."""

from __future__ import annotations

import json
from typing import Optional

from ._errors import SvcError

_MARKS = (b'{"error":{"code":"', b'# {"error":{"code":"')
#: Longer lines are rows.
_LONGEST_LINE = 64 * 1024


class Rows:
    """Holds back the last line of rows as long as it may report a failure."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._held = b""

    def accept(self, chunk: bytes) -> bytes:
        """Returns the bytes that are certainly rows."""
        data = self._held + chunk
        start = self._start(data)
        self._held = data[start:]
        return data[:start]

    def rest(self) -> bytes:
        """Returns the remaining bytes when the rows end as they should."""
        return self._held

    def failure(self) -> Optional[SvcError]:
        """Returns the failure that the last line reports, after the connection was cut."""
        line = self._held[2:] if self._held.startswith(b"# ") else self._held
        if not line.startswith(_MARKS[0]):
            return None
        try:
            error = json.loads(line)["error"]
        except ValueError:
            return None
        return SvcError(str(error.get("message")), command=self._command, http=200, details=error)

    @staticmethod
    def _start(data: bytes) -> int:
        end = len(data) - 1 if data.endswith(b"\n") else len(data)
        start = data.rfind(b"\n", 0, end) + 1
        line = data[start:end]
        is_possible = any(line.startswith(mark) or mark.startswith(line) for mark in _MARKS)
        return start if is_possible and len(line) <= _LONGEST_LINE else len(data)
