"""Decides to which address a request is sent, how often, and after which pauses."""

from __future__ import annotations

import random
import re
import time
from typing import List, NamedTuple, Optional, Set

from ._errors import SvcError

#: A busy service has had 1.5 s by the last of four.
RETRIES = 4
#: Longer than a restart, or than a standby needs to take over with the default lease.
RETRY_SECONDS = 30.0
FIRST_DELAY = 0.1
#: Longer pauses help no service, and users wait for them.
LONGEST_DELAY = 10.0
#: A standby may take over at any moment.
LONGEST_DELAY_OF_SEVERAL = 1.0
#: So many pauses of a request stay as short as the first one, where a standby takes over: a hand-over ends meanwhile.
SHORT_DELAYS = 8
TOO_MANY_REQUESTS = 429
UNAVAILABLE = 503
#: Answers of a proxy that does not know whether the service executed the request.
UNKNOWN_OUTCOME = frozenset([502, 504])
#: Of a service that starts, stops, or is not the primary; None: of a proxy.
AWAY = frozenset([None, "NOT_READY", "STOPPING", "STANDBY", "DEPOSED", "CLUSTER_UNREACHABLE"])
#: A failure whose cause may have passed, and after which nothing has changed.
STILL_RUNNING = "IDEMPOTENCY_KEY_IN_USE"
_PRIMARY = re.compile(r"the primary is (\S+)$")
_ORIGIN = re.compile(r"https?://[^/?#]+", re.IGNORECASE)


class Passing(NamedTuple):
    """A transient failure."""

    #: The service is away; otherwise it is busy.
    is_away: bool
    #: The request may have been executed.
    is_unknown: bool


class Lost(NamedTuple):
    """The failure of a request without an answer."""

    error: Exception
    #: None: the failure does not pass.
    passing: Optional[Passing]


def passing(failure: SvcError) -> Optional[Passing]:
    """Classifies a failure that the service or a proxy reports; None if it is not transient."""
    if failure.http in UNKNOWN_OUTCOME:
        return Passing(is_away=True, is_unknown=True)
    if failure.http == UNAVAILABLE:
        return Passing(is_away=failure.code in AWAY, is_unknown=failure.code == "DEPOSED")
    if failure.http == TOO_MANY_REQUESTS:
        return Passing(is_away=False, is_unknown=False)
    return Passing(is_away=False, is_unknown=True) if failure.code == STILL_RUNNING else None


class Endpoints:
    """Remembers which address answers. Requests go only to these addresses, whatever a service says."""

    def __init__(self, urls: List[str]) -> None:
        self._urls = urls
        self._at = 0
        #: Whether one of them has answered: until then an address may be wrong.
        self.has_answered = False

    @property
    def current(self) -> str:
        return self._urls[self._at]

    @property
    def has_several(self) -> bool:
        return len(self._urls) > 1

    def leave(self, url: str, tried: Set[str], hint: str) -> bool:
        """Switches requests from `url` to another address: the primary that `hint` names, or else the next one.

        Returns whether one is left that `tried`, the addresses of one request, does not have; else forgets these.
        """
        tried.add(url)
        is_left = any(each not in tried for each in self._urls)
        if not is_left:
            tried.clear()
        if url != self.current and self.current not in tried:
            return is_left
        at = self._urls.index(url)
        others = [each for each in self._urls[at + 1 :] + self._urls[:at] if each not in tried]
        named = _PRIMARY.search(hint)
        primary = None if named is None else _origin(named[1])
        hinted = [each for each in others if primary is not None and _origin(each) == primary]
        self._at = self._urls.index((hinted or others or [url])[0])
        return is_left


def _origin(url: str) -> Optional[str]:
    origin = _ORIGIN.match(url)
    return None if origin is None else origin[0].lower()


class Attempts:
    """Counts the attempts of one request, or of one stream of changes."""

    def __init__(self, endpoints: Endpoints, retries: int, retry_seconds: Optional[float]) -> None:
        self._endpoints = endpoints
        self._retries = retries
        self._seconds = retry_seconds
        self._is_timed = False
        self._tried: Set[str] = set()
        self._rejections = 0
        self._absences = 0
        self._since: Optional[float] = None

    def reset(self, retry_seconds: float) -> None:
        """Starts over after a success. From then on, only `retry_seconds` limits the attempts."""
        self._seconds = retry_seconds
        self._is_timed = True
        self._tried.clear()
        self._rejections = self._absences = 0
        self._since = None

    def next(self, failure: Exception, may: Passing, url: str, asked: float = 0.0) -> Optional[float]:
        """Returns the seconds to wait before the next attempt; None if no attempt is left."""
        endpoints = self._endpoints
        is_unanswered = not isinstance(failure, SvcError)
        if (may.is_away or is_unanswered) and endpoints.leave(url, self._tried, str(failure)):
            return 0.0
        count = self._absences if may.is_away else self._rejections
        if may.is_away:
            self._absences += 1
        else:
            self._rejections += 1
        highest = LONGEST_DELAY_OF_SEVERAL if endpoints.has_several else LONGEST_DELAY
        is_taken_over = may.is_away and endpoints.has_several
        doublings = max(0, count - SHORT_DELAYS) if is_taken_over else count
        longest: float = min(FIRST_DELAY * 2 ** min(doublings, 16), highest)
        # Jitter: clients that failed together do not retry together.
        delay = longest * random.uniform(0.5, 1)
        if not is_taken_over:
            delay = max(asked, delay)
        return None if self._is_over(may.is_away, count, delay) else delay

    def _is_over(self, is_away: bool, count: int, delay: float) -> bool:
        seconds = self._seconds
        if seconds is None and self._endpoints.has_answered:
            seconds = RETRY_SECONDS
        if seconds is None or not (self._is_timed or (is_away and self._retries > 0)):
            return count >= self._retries
        now = time.monotonic()
        if self._since is None:
            self._since = now
        return now + delay - self._since > seconds
