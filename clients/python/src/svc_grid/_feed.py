"""The change feed: where a stream begins, what its lines mean, and when it is opened again."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, Sequence, Union

from ._attempts import Attempts, Lost, Passing, passing
from ._errors import SvcError
from ._exact import parse_exact
from ._exchange import UNAUTHORIZED

_GONE = 410
_CONNECTION_ENDED = "the connection to the service ended"
#: The service sends a line at least every 15 seconds. A connection without one is lost.
SILENCE_SECONDS = 60
_LOG = logging.getLogger("svc_grid")


@dataclass(frozen=True)
class Change:
    """A change of an entry or of a whole cache."""

    #: The position after the change, from which another loop continues; None in front of a cluster.
    position: Optional[str]
    operation: str
    cache: str
    #: ISO 8601.
    time: str
    key: Any = None
    value: Any = None
    old_value: Any = None
    expires: Optional[str] = None
    #: Names of the types by which key and values can be sent back; None: strings, ints, doubles, booleans and null.
    key_type: Optional[str] = None
    value_type: Optional[str] = None
    old_value_type: Optional[str] = None


def _joined(caches: Sequence[str]) -> str:
    """Joins names of caches, quoting those that would not be read as they are."""
    return ",".join(
        '"' + name.replace('"', '""') + '"'
        if name.strip() != name or name == "" or "," in name or '"' in name
        else name
        for name in caches
    )


class Feed:
    """Follows the changes of caches across streams that may end."""

    def __init__(
        self,
        caches: Sequence[str],
        start: str,
        operations: Optional[Sequence[str]],
        with_old_values: bool,
        follow: bool,
        on_gap: Optional[Callable[[str], None]],
        on_reconnect: Optional[Callable[[Optional[Exception]], None]],
        attempts: Attempts,
        retry_seconds: Optional[float],
        can_renew: bool,
    ) -> None:
        self._parameters: Dict[str, Any] = {
            "format": "ndjson",
            "cacheName": _joined(caches) if caches else None,
            "operation": ",".join(operations) if operations is not None else None,
            "oldValue": True if with_old_values else None,
            "follow": None if follow else False,
        }
        self._from = start
        self._on_gap = on_gap
        self._on_reconnect = on_reconnect
        self._attempts = attempts
        self._seconds = math.inf if retry_seconds is None else retry_seconds
        self._is_open = False
        self._can_renew = can_renew
        self._may_renew = can_renew
        self._is_resumable = True
        self._has_begun = False
        self.is_complete = False

    def parameters(self) -> Dict[str, Any]:
        """Returns the parameters of the next stream, which begins after the last change."""
        return {**self._parameters, "from": self._from}

    def accept(self, line: str) -> Optional[Change]:
        """Returns the change in a line, if there is one. Raises SvcError if the service ends the stream for good."""
        part = parse_exact(line)
        if not self._is_open:
            self._attempts.reset(self._seconds)
        self._is_open = True
        self._may_renew = self._can_renew
        event, position = part.get("event"), part.get("position")
        if position is None:
            self._is_resumable = False
        else:
            self._from = str(position)
        if event == "open":
            if self._has_begun and not self._is_resumable:
                self._note_gap(_CONNECTION_ENDED)
            self._has_begun = True
        elif event == "gap":
            self._note_gap(str(part.get("reason")))
        elif event == "end":
            self._end(part)
        elif event == "change":
            return Change(
                position=None if position is None else str(position),
                operation=str(part.get("operation")),
                cache=str(part.get("cache")),
                time=str(part.get("time")),
                key=part.get("key"),
                value=part.get("value"),
                old_value=part.get("oldValue"),
                expires=part.get("expires"),
                key_type=part.get("keyType"),
                value_type=part.get("valueType"),
                old_value_type=part.get("oldValueType"),
            )
        return None

    def _end(self, part: Dict[str, Any]) -> None:
        reason = part.get("reason")
        self.is_complete = reason == "complete"
        if reason not in ("complete", "stopping"):
            details = {"code": part.get("errorCode")}
            raise SvcError(str(part.get("error")), command="watch", http=_GONE, details=details)

    def interrupted(self, failure: Union[SvcError, Lost, None], url: str) -> float:
        """Returns the seconds to wait before reopening the stream. Raises the failure if it is final."""
        if isinstance(failure, SvcError) and failure.http == UNAUTHORIZED and self._may_renew:
            # The session has expired since the last stream was opened.
            self._may_renew = False
            return 0.0
        error: Exception
        may: Optional[Passing]
        if failure is None:
            error, may = ConnectionError(_CONNECTION_ENDED), Passing(is_away=True, is_unknown=True)
        elif isinstance(failure, SvcError):
            error, may = failure, passing(failure)
        else:
            error, may = failure
        if may is None:
            raise error
        if not self._is_resumable and self._on_gap is None:
            self._note_gap(_CONNECTION_ENDED)
        if self._is_open:
            self._tell(None if failure is None else error)
        self._is_open = False
        seconds = self._attempts.next(error, may, url)
        if seconds is None:
            raise error
        return seconds

    def _tell(self, reason: Optional[Exception]) -> None:
        if self._on_reconnect is not None:
            self._on_reconnect(reason)
        else:
            _LOG.warning("The change feed is opened again: %s", reason or _CONNECTION_ENDED)

    def _note_gap(self, reason: str) -> None:
        if self._on_gap is None:
            raise SvcError(f"Changes may be missing: {reason}", command="watch", http=_GONE)
        self._on_gap(reason)
