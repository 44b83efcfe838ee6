"""The client for asyncio. npm run generate makes the one with blocking methods of it."""

from __future__ import annotations

import asyncio
import ssl
from typing import Any, AsyncGenerator, AsyncIterable, Callable, Dict, List, Mapping, Optional, Sequence, Union

import httpx

from ._async_commands import AsyncCommandMethods
from ._attempts import RETRIES, Lost
from ._batching import Batching  # asyncio alone
from ._errors import SvcError
from ._exact import parse_as_sent
from ._exchange import (
    BULK_KEYS,
    LOGIN,
    PAGE_SIZE,
    UNAUTHORIZED,
    Answer,
    Envelope,
    Exchange,
    Renew,
    Request,
    Wait,
    is_stream,
    media_type,
    read_envelope,
)
from ._feed import Change, Feed
from ._parameters import in_reference_case, merged
from ._results import ImportResult, JsonInput
from ._rows import Rows
from ._settings import ScannedEntry, Settings, column_types, entry_of, outcome_of, query_parameters, row_of


class AsyncSvcClient(AsyncCommandMethods):
    """A client of a service. Closes its connections at the end of a block `async with`.

    Args:
        url: The endpoint: http://localhost:8080/svc. Or the endpoints of a primary and its standbys, separated by commas: the
            client finds the primary, and sends nothing to any other address.
        user: Name of the user; the client logs in before the first command, and again when the session has expired.
        password: Password of the user.
        token: API key or JSON Web Token, instead of a user.
        retries: How often a request is repeated after a busy service has rejected it; 0: no request is repeated.
        retry_seconds: How long a request is retried while the service is unavailable, because it restarts or a standby takes
            over. Default: 30, but until the service has answered for the first time, at most `retries` times.
        timeout_seconds: Longest wait for a connection, and for each part of a response; default: none.
        bulk_keys: Maximum number of keys in one request of a bulk command; longer ones are split.
        dates: How responses write dates, times and timestamps: "text", as Ignite does, or "iso", as ISO 8601.
        batching: Send calls for single keys in one tick of the event loop as one batch, which is not atomic. A call with its
            own idempotency key is sent on its own.
        tls: Certificates to trust and to present, from `ssl.create_default_context`.
        transport: Replaces how requests are sent, for example in tests.
    """

    def __init__(
        self,
        url: str,
        *,
        user: Optional[str] = None,
        password: Optional[str] = None,
        token: Optional[str] = None,
        retries: int = RETRIES,
        retry_seconds: Optional[float] = None,
        timeout_seconds: Optional[float] = None,
        bulk_keys: int = BULK_KEYS,
        dates: Optional[str] = None,
        batching: bool = False,  # asyncio alone
        tls: Optional[ssl.SSLContext] = None,
        transport: Optional[httpx.AsyncBaseTransport] = None,
    ) -> None:
        self._settings = Settings(
            url, user, password, token, retries, retry_seconds, timeout_seconds, bulk_keys, dates
        )
        self._http = httpx.AsyncClient(verify=True if tls is None else tls, transport=transport)
        self._login_lock = asyncio.Lock()
        self._session: Optional[Envelope] = None
        self._batching = Batching(self._settings, self._send) if batching else None  # asyncio alone

    async def __aenter__(self) -> AsyncSvcClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def call(self, command: str, parameters: Mapping[str, Any], *, idempotency_key: Optional[str] = None) -> Any:
        """Executes a command by its name, with parameters as the service names them, and returns its response.

        Raises:
            SvcError: The service reports a failure.
            ConnectionError: The service is unreachable, or the answer is lost.
            TimeoutError: The answer takes longer than `timeout_seconds`.
        """
        if self._batching is not None and self._batching.takes(command, parameters, idempotency_key):  # asyncio alone
            return await self._batching.call(command, parameters)  # asyncio alone
        requests = self._settings.requests(command, parameters, idempotency_key)
        return merged([await self._send(request) for request in requests])

    async def query(
        self,
        qry: str,
        args: Optional[Sequence[Optional[JsonInput]]] = None,
        *,
        cache_name: Optional[str] = None,
        page_size: int = PAGE_SIZE,
    ) -> AsyncGenerator[List[Any], None]:
        """Executes a statement and returns its rows one by one, read page by page.

        Numbers in decimal columns are Decimal. Closes the cursor when the loop ends early.
        """
        first = await self._page("qryfldexe", query_parameters(qry, args, cache_name, page_size))
        types = column_types(first)
        rows = self._rows(first, page_size)
        try:
            async for row in rows:
                yield row_of(row, types)
        finally:
            await rows.aclose()

    async def scan(
        self, *, cache_name: Optional[str] = None, page_size: int = PAGE_SIZE
    ) -> AsyncGenerator[ScannedEntry, None]:
        """Returns the entries of a cache one by one. Closes the cursor when the loop ends early."""
        first = await self._page("qryscanexe", {"cacheName": cache_name, "pageSize": page_size})
        rows = self._rows(first, page_size)
        try:
            async for entry in rows:
                yield entry_of(entry)
        finally:
            await rows.aclose()

    async def watch(
        self,
        caches: Sequence[str] = (),
        *,
        from_: str = "now",
        operations: Optional[Sequence[str]] = None,
        with_old_values: bool = False,
        follow: bool = True,
        on_gap: Optional[Callable[[str], None]] = None,
        on_reconnect: Optional[Callable[[Optional[Exception]], None]] = None,
        retry_seconds: Optional[float] = None,
    ) -> AsyncGenerator[Change, None]:
        """Returns the changes of caches one by one, as they happen.

        If the connection ends, it is opened again after the last change, so none is lost or repeated. In front of a
        cluster, changes may be missing instead: `on_gap` is called there, or without it the loop ends with an error.

        Args:
            caches: Names of caches; a single `*` means every cache whose changes are recorded. Default: the default cache.
            from_: Where to begin: `now`, `start`, or the position of an earlier change.
            operations: Only these operations.
            with_old_values: Include the value that each change replaced or removed.
            follow: Wait for more changes.
            on_gap: Called with the reason when changes may be missing.
            on_reconnect: Called once when the connection has ended and is opened again. Default: a warning of the
                logger `svc_grid`.
            retry_seconds: How long to try to reopen the stream while the service is unavailable; default: indefinitely.
        """
        settings = self._settings
        attempts, can_renew = settings.attempts(), settings.user is not None
        feed = Feed(
            caches, from_, operations, with_old_values, follow, on_gap, on_reconnect, attempts, retry_seconds, can_renew
        )
        while True:
            failure: Union[SvcError, Lost, None] = None
            url = settings.endpoints.current
            lines = self._lines(feed, url)
            try:
                async for line in lines:
                    change = feed.accept(line)
                    if change is not None:
                        yield change
                    if feed.is_complete:
                        return
            except SvcError as error:
                failure = error
            except httpx.TransportError as error:
                failure = outcome_of(error, url)
            finally:
                await lines.aclose()
            await asyncio.sleep(feed.interrupted(failure, url))

    async def import_(
        self,
        rows: Union[str, bytes, AsyncIterable[bytes]],
        format: str,
        *,
        table: Optional[str] = None,
        cache_name: Optional[str] = None,
        **parameters: Any,
    ) -> ImportResult:
        """Stores the rows or entries of a source in a table or a cache while they are read.

        If a record fails, it raises SvcError, whose `response` says how many were stored. An iterable is sent
        once: a failure is not repeated.

        Args:
            rows: A string, bytes, or an iterable of bytes.
            format: `csv` or `ndjson`.
            table: The table.
            cache_name: The cache.
            parameters: Other parameters of `import`, in snake case: `on_duplicate="replace"`.
        """
        request = self._settings.upload(rows, format, {"table": table, "cacheName": cache_name, **in_reference_case(parameters)})
        # A source cannot be sent again after a login, so the session is renewed first.
        if request.repeats == "never" and self._settings.user is not None:
            await self.noop()
        result: ImportResult = await self._send(request)
        return result

    async def export(
        self, format: str, *, table: Optional[str] = None, cache_name: Optional[str] = None, **parameters: Any
    ) -> AsyncGenerator[bytes, None]:
        """Returns all rows of a table or entries of a cache as chunks of bytes, which `import_` reads.

        Args:
            format: `csv` or `ndjson`.
            table: The table.
            cache_name: The cache.
            parameters: Other parameters of `export`, in snake case: `null_text="-"`.
        """
        query = {"table": table, "cacheName": cache_name, "format": format, **in_reference_case(parameters)}
        return await self._download(self._settings.download("export", query, media_type(format)))

    async def backup_stream(self) -> AsyncGenerator[bytes, None]:
        """Creates a backup and returns its bytes, which `svc restore` reads."""
        return await self._download(self._settings.download("backup", {"stream": True}, "application/octet-stream"))

    async def _page(self, command: str, parameters: Mapping[str, Any]) -> Dict[str, Any]:
        """Returns a page with all its numbers as they were sent."""
        page: Dict[str, Any] = await self._send(self._settings.request(command, parameters, parse=parse_as_sent))
        return page

    async def _rows(self, first: Dict[str, Any], page_size: int) -> AsyncGenerator[Any, None]:
        page = first
        try:
            while True:
                for item in page["items"]:
                    yield item
                if page["last"]:
                    return
                page = await self._page("qryfetch", {"qryId": first["queryId"], "pageSize": page_size})
        finally:
            if not page["last"]:
                await self._close_cursor(first["queryId"])

    async def _close_cursor(self, qry_id: int) -> None:
        try:
            await self.qrycls(qry_id)
        except (SvcError, OSError):
            # The service closes it after a while.
            pass

    async def _lines(self, feed: Feed, url: str) -> AsyncGenerator[str, None]:
        token = await self._token()
        async with self._http.stream(**self._settings.watch_options(feed, token, url)) as response:
            self._settings.endpoints.has_answered = True
            if response.status_code != 200:
                if response.status_code == UNAUTHORIZED:
                    await self._forget(token)
                text = (await response.aread()).decode(errors="replace")
                read_envelope(Answer(response.status_code, response.headers, text), "watch")
            # Texts may have the other line breaks of Unicode, at which httpx divides lines.
            rest = bytearray()
            async for chunk in response.aiter_bytes():
                rest += chunk
                if b"\n" in chunk:
                    *lines, rest = rest.split(b"\n")
                    for line in lines:
                        yield line.decode(errors="replace")

    async def _download(self, request: Request) -> AsyncGenerator[bytes, None]:
        chunks = self._chunks(request.command, await self._stream(request))
        # A generator that has not begun would not close the response.
        await chunks.__anext__()
        return chunks

    async def _chunks(self, command: str, response: httpx.Response) -> AsyncGenerator[bytes, None]:
        rows = Rows(command)
        try:
            yield b""
            async for chunk in response.aiter_bytes():
                yield rows.accept(chunk)
            yield rows.rest()
        except httpx.TransportError as error:
            raise rows.failure() or outcome_of(error, str(response.url)).error from error
        finally:
            await response.aclose()

    async def _send(self, request: Request) -> Any:
        outcome = await self._exchange(request)
        if isinstance(outcome, Envelope):
            return outcome.response
        await outcome.aclose()
        raise SvcError("The response is a stream", command=request.command, http=outcome.status_code)

    async def _stream(self, request: Request) -> httpx.Response:
        outcome = await self._exchange(request)
        if isinstance(outcome, httpx.Response):
            return outcome
        raise SvcError("The response is not a stream", command=request.command, http=200, response=outcome.response)

    async def _exchange(self, request: Request) -> Union[Envelope, httpx.Response]:
        """Sends a request and retries it after transient failures."""
        settings = self._settings
        exchange = Exchange(request, settings.attempts(), settings.user is not None and request.command != LOGIN)
        while True:
            token = None if request.command == LOGIN else await self._token()
            url = settings.endpoints.current
            outcome = await self._attempt(request, token, url)
            if isinstance(outcome, httpx.Response):
                return outcome
            step = exchange.after(outcome, url)
            if isinstance(step, Envelope):
                return step
            if isinstance(step, Wait):
                await asyncio.sleep(step.seconds)
            elif isinstance(step, Renew):
                await self._forget(token)

    async def _attempt(
        self, request: Request, token: Optional[str], url: str
    ) -> Union[Answer, Lost, httpx.Response]:
        try:
            response = await self._http.send(
                self._http.build_request(**self._settings.options(request, token, url)), stream=request.streams
            )
            self._settings.endpoints.has_answered = True
            if request.streams and is_stream(response.status_code, response.headers):
                return response
            try:
                # A proxy may answer in another encoding.
                text = (await response.aread()).decode(errors="replace")
            finally:
                await response.aclose()
            return Answer(response.status_code, response.headers, text)
        except httpx.TransportError as error:
            return outcome_of(error, url)

    async def _token(self) -> Optional[str]:
        """Returns the token to send, logging in if there is none."""
        if self._settings.token is not None or self._settings.user is None:
            return self._settings.token
        async with self._login_lock:
            if self._session is None:
                session = await self._exchange(self._settings.login())
                # Without authentication, a service returns no token and needs none.
                self._session = session if isinstance(session, Envelope) else None
            return None if self._session is None else self._session.session_token

    async def _forget(self, token: Optional[str]) -> None:
        async with self._login_lock:
            if self._session is not None and self._session.session_token == token:
                self._session = None
