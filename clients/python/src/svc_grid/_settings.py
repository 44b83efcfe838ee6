"""What both clients derive from their arguments, and how they build requests and read pages."""

from __future__ import annotations

import math
import re
import secrets
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence

import httpx

from ._attempts import Attempts, Endpoints, Lost, Passing
from ._exact import DECIMAL, decimals, exact, parse_exact
from ._exchange import LOGIN, PAGE_SIZE, PREFERENCES, Request, media_type, query_of
from ._feed import SILENCE_SECONDS, Feed
from ._parameters import split, with_types, written
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
        retry_seconds: Optional[float],
        timeout_seconds: Optional[float],
        bulk_keys: int,
        dates: Optional[str] = None,
    ) -> None:
        if isinstance(url, (list, tuple)):
            raise ValueError(f"url must be one str: separate several addresses by commas, got {url!r}")
        urls = [each.strip() for each in url.split(",")] if isinstance(url, str) else []
        if not urls or not all(_is_endpoint(each) for each in urls):
            raise ValueError(f"url must be the endpoint of a service, such as http://localhost:8080/svc, got {url!r}")
        urls = [each.rstrip("/") for each in urls]
        names = list(dict.fromkeys(each.rpartition("/")[2] for each in urls))
        if len(names) > 1:
            raise ValueError(f"url must end with one service name, got {' and '.join(names)}")
        if token is not None and re.fullmatch("[!-~]+", token) is None:
            # Its text is a secret.
            raise ValueError("token must consist of visible ASCII characters: is there a line break at its end?")
        if not isinstance(retries, int) or retries < 0:
            raise ValueError(f"retries must be a whole number of 0 or more, got {retries!r}")
        if retry_seconds is not None and not _is_number(retry_seconds):
            raise ValueError(f"retry_seconds must be a number of 0 or more, got {retry_seconds!r}")
        if not isinstance(bulk_keys, int) or bulk_keys < 1:
            raise ValueError(f"bulk_keys must be a whole number of 1 or more, got {bulk_keys!r}")
        if dates not in (None, "text", "iso"):
            raise ValueError(f"dates must be text or iso, got {dates!r}")
        if timeout_seconds is not None and not _is_positive(timeout_seconds):
            raise ValueError(f"timeout_seconds must be a number above 0, got {timeout_seconds!r}")
        self.endpoints = Endpoints(urls)
        self.service_name = names[0]
        self.user = user
        self.password = password
        self.token = token
        self.retries = retries
        self.retry_seconds = retry_seconds
        self.timeout = httpx.Timeout(timeout_seconds)
        self.stream_timeout = httpx.Timeout(None, connect=timeout_seconds)
        self.watch_timeout = httpx.Timeout(None, connect=timeout_seconds, read=SILENCE_SECONDS)
        self.bulk_keys = bulk_keys
        self.preferences = {"Prefer": PREFERENCES if dates is None else f"{PREFERENCES}, dates={dates}"}

    def login(self) -> Request:
        body = {f"{self.service_name}.login": self.user, f"{self.service_name}.password": self.password or ""}
        return Request(LOGIN, written(body), "any", {"Content-Type": "application/json"})

    def requests(
        self, command: str, parameters: Mapping[str, Any], idempotency_key: Optional[str]
    ) -> List[Request]:
        """Returns the requests of a command; a bulk command may need several."""
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
        # A command of a later version has no traits here and may not be repeatable.
        repeats, paged, _ = TRAITS.get(command, Traits("once"))
        sent = with_types({self._own_name(name): each for name, each in parameters.items()})
        if paged:
            sent.setdefault("pageSize", PAGE_SIZE)
        if idempotency_key is not None and re.fullmatch("[ -~]+", idempotency_key) is None:
            raise ValueError(f"idempotency_key must consist of printable ASCII characters, got {idempotency_key!r}")
        headers = {"Content-Type": "application/json"}
        if repeats == "keyed":
            headers["Idempotency-Key"] = idempotency_key or secrets.token_hex(16)
        elif idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        return Request(command, written(sent), repeats, headers, parse=parse)

    def whole(self, command: str, body: str, repeats: str) -> Request:
        """Returns a request whose body is already encoded."""
        headers = {"Content-Type": "application/json"}
        if repeats == "keyed":
            headers["Idempotency-Key"] = secrets.token_hex(16)
        return Request(command, body, repeats, headers)

    def _own_name(self, name: str) -> str:
        return f"{self.service_name}.{name[len('svc.'):]}" if name.startswith("svc.") else name

    def attempts(self) -> Attempts:
        return Attempts(self.endpoints, self.retries, self.retry_seconds)

    def options(self, request: Request, token: Optional[str], url: str) -> Dict[str, Any]:
        """Returns the request as httpx builds it."""
        # The results of a batch keep the type that they are declared with.
        headers = {**self.preferences, **request.headers}
        return {
            "method": "POST",
            "url": f"{url}/{request.command}",
            "params": query_of(request.query),
            "headers": with_token(headers, token),
            "content": request.body,
            "timeout": self.stream_timeout if request.streams or request.repeats == "never" else self.timeout,
        }

    def watch_options(self, feed: Feed, token: Optional[str], url: str) -> Dict[str, Any]:
        return {
            "method": "GET",
            "url": f"{url}/watch",
            "params": query_of(feed.parameters()),
            "headers": with_token(dict(self.preferences), token),
            "timeout": self.watch_timeout,
        }

    def download(self, command: str, query: Mapping[str, Any], accept: str) -> Request:
        headers = {"Accept": accept, "Content-Type": "application/json"}
        # Only a request that has not begun is repeated.
        return Request(command, "{}", "any", headers, query, streams=True)

    def upload(self, rows: Any, format: str, parameters: Mapping[str, Any]) -> Request:
        is_stream = not isinstance(rows, (str, bytes))
        headers = {"Content-Type": media_type(format)}
        return Request("import", rows, "never" if is_stream else "once", headers, parameters)


def outcome_of(failure: httpx.TransportError, url: str) -> Lost:
    """Classifies a network failure."""
    reason = _reason_of(failure)
    # The URL as errors show it: without credentials.
    shown = httpx.URL(url).copy_with(userinfo=b"")
    error: Exception
    if isinstance(failure, httpx.TimeoutException):
        error = TimeoutError(f"No answer from {shown} in time: {reason}")
    elif isinstance(failure, httpx.ConnectError):
        error = ConnectionError(f"Cannot connect to {shown}: {reason}")
    else:
        error = ConnectionError(f"The connection to {shown} failed: {reason}")
    error.__cause__ = failure
    if "CERTIFICATE_VERIFY_FAILED" in reason:
        return Lost(error, None)
    is_unsent = isinstance(failure, (httpx.ConnectError, httpx.ConnectTimeout))
    return Lost(error, Passing(not isinstance(failure, httpx.TimeoutException), not is_unsent))


def _reason_of(failure: BaseException) -> str:
    """Returns why a request failed: the text of the first cause, such as a refused connection."""
    while True:
        cause = failure.__cause__ or failure.__context__
        if cause is None:
            break
        # Every address of the host has been tried.
        failure = getattr(cause, "exceptions", [cause])[0]
    return str(failure) or type(failure).__name__


def _is_endpoint(url: object) -> bool:
    """Reports whether a URL is that of a service: its name ends the path."""
    try:
        parsed = httpx.URL(url) if isinstance(url, str) else httpx.URL()
    except httpx.InvalidURL:
        return False
    is_complete = parsed.scheme in ("http", "https") and parsed.host != "" and parsed.path.strip("/") != ""
    return is_complete and not parsed.query and not parsed.fragment


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and value >= 0


def _is_positive(value: object) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value) and value > 0


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
    """Returns a row whose numbers in decimal columns are Decimal."""
    return [
        decimals(value) if at < len(types) and types[at] == DECIMAL else exact(value) for at, value in enumerate(row)
    ]


def entry_of(entry: Mapping[str, Any]) -> ScannedEntry:
    return ScannedEntry(exact(entry.get("key")), exact(entry.get("value")))
