"""What both clients derive from their arguments, and make of requests and pages."""

from __future__ import annotations

import secrets
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence

import httpx

from ._exact import DECIMAL, decimals, exact, parse_exact, write_exact
from ._exchange import ERROR_OBJECTS, LOGIN, MEDIA_TYPES, PAGE_SIZE, Request, query_of
from ._feed import SILENCE_SECONDS, Feed
from ._parameters import split, with_types
from ._results import TRAITS, JsonInput, Traits
from ._version import __version__


class ScannedEntry(NamedTuple):
    """An entry of a scan."""

    key: Any
    value: Any


class Settings:
    """What both clients derive from their arguments."""

    def __init__(
        self,
        url: str,
        user: Optional[str],
        password: Optional[str],
        token: Optional[str],
        retries: int,
        timeout_seconds: Optional[float],
        bulk_keys: int,
    ) -> None:
        self.url = url.rstrip("/")
        self.service_name = self.url.rpartition("/")[2]
        self.user = user
        self.password = password
        self.token = token
        self.retries = retries
        self.timeout = httpx.Timeout(timeout_seconds)
        self.stream_timeout = httpx.Timeout(None, connect=timeout_seconds)
        self.watch_timeout = httpx.Timeout(None, connect=timeout_seconds, read=SILENCE_SECONDS)
        self.bulk_keys = bulk_keys

    def login(self) -> Request:
        body = {f"{self.service_name}.login": self.user, f"{self.service_name}.password": self.password or ""}
        return Request(LOGIN, write_exact(body), "any", {"Content-Type": "application/json"})

    def requests(
        self, command: str, parameters: Mapping[str, Any], idempotency_key: Optional[str]
    ) -> List[Request]:
        """Returns the requests of a command, of which a bulk command may need several."""
        parts = split(parameters, self.bulk_keys)
        if idempotency_key is None or len(parts) == 1:
            return [self.request(command, part, idempotency_key) for part in parts]
        return [self.request(command, part, f"{idempotency_key}/{at}") for at, part in enumerate(parts)]

    def request(
        self,
        command: str,
        parameters: Mapping[str, Any],
        idempotency_key: Optional[str] = None,
        parse: Callable[[str], Any] = parse_exact,
    ) -> Request:
        # A command of a later version has no traits here, and may not be repeatable.
        repeats, paged = TRAITS.get(command, Traits("once"))
        sent = with_types({self._own_name(name): each for name, each in parameters.items()})
        if paged:
            sent.setdefault("pageSize", PAGE_SIZE)
        headers = {"Content-Type": "application/json"}
        if repeats == "keyed":
            headers["Idempotency-Key"] = idempotency_key or secrets.token_hex(16)
        elif idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        return Request(command, write_exact(sent), repeats, headers, parse=parse)

    def _own_name(self, name: str) -> str:
        return f"{self.service_name}.{name[len('svc.'):]}" if name.startswith("svc.") else name

    def options(self, request: Request, token: Optional[str]) -> Dict[str, Any]:
        """Returns the request as httpx builds it."""
        # The results of a batch keep the type that they are declared with.
        headers = dict(request.headers) if request.command == "batch" else {**ERROR_OBJECTS, **request.headers}
        return {
            "method": "POST",
            "url": f"{self.url}/{request.command}",
            "params": query_of(request.query),
            "headers": with_token(headers, token),
            "content": request.body,
            "timeout": self.stream_timeout if request.streams or request.repeats == "never" else self.timeout,
        }

    def watch_options(self, feed: Feed, token: Optional[str]) -> Dict[str, Any]:
        return {
            "method": "GET",
            "url": f"{self.url}/watch",
            "params": query_of(feed.parameters()),
            "headers": with_token(dict(ERROR_OBJECTS), token),
            "timeout": self.watch_timeout,
        }

    def download(self, command: str, query: Mapping[str, Any], accept: str) -> Request:
        headers = {"Accept": accept, "Content-Type": "application/json"}
        # Only what has not begun is repeated.
        return Request(command, "{}", "any", headers, query, streams=True)

    def upload(self, rows: Any, format: str, parameters: Mapping[str, Any]) -> Request:
        is_stream = not isinstance(rows, (str, bytes))
        headers = {"Content-Type": MEDIA_TYPES[format]}
        return Request("import", rows, "never" if is_stream else "once", headers, parameters)


def with_token(headers: Dict[str, str], token: Optional[str]) -> Dict[str, str]:
    sent = {"User-Agent": f"svc-grid-python/{__version__}", **headers}
    return sent if token is None else {**sent, "Authorization": f"Bearer {token}"}


def query_parameters(
    qry: str, args: Optional[Sequence[Optional[JsonInput]]], cache_name: Optional[str], page_size: int
) -> Dict[str, Any]:
    return {"qry": qry, "args": args, "cacheName": cache_name, "pageSize": page_size}


def column_types(page: Mapping[str, Any]) -> List[Optional[str]]:
    return [column.get("fieldTypeName") for column in page.get("fieldsMetadata") or []]


def row_of(row: Sequence[Any], types: Sequence[Optional[str]]) -> List[Any]:
    """Returns a row whose numbers in columns of decimals are Decimal."""
    return [
        decimals(value) if at < len(types) and types[at] == DECIMAL else exact(value) for at, value in enumerate(row)
    ]


def entry_of(entry: Mapping[str, Any]) -> ScannedEntry:
    return ScannedEntry(exact(entry.get("key")), exact(entry.get("value")))


def outcome_of(failure: httpx.TransportError) -> Exception:
    """Returns what callers know of a failure of the network."""
    kind = TimeoutError if isinstance(failure, httpx.TimeoutException) else ConnectionError
    error = kind(str(failure) or type(failure).__name__)
    error.__cause__ = failure
    return error
