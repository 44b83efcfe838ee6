"""Services and clients of the tests. test/clients/own-clients.long.test.ts starts the services and this suite."""

from __future__ import annotations

import asyncio
import os
import uuid
from typing import Any, Callable, Iterator, List

import pytest
from faulty_server import FaultyServer

from svc_grid import AsyncSvcClient, SvcClient


class Blocking:
    """Gives an asynchronous client the methods of the blocking one, so all cases run with both."""

    def __init__(self, client: AsyncSvcClient, loop: asyncio.AbstractEventLoop) -> None:
        self._client = client
        self._loop = loop

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._client, name)

        def call(*args: Any, **named: Any) -> Any:
            result = method(*args, **named)
            if asyncio.iscoroutine(result):
                result = self._loop.run_until_complete(result)
            return self._items(result) if hasattr(result, "__anext__") else result

        return call

    def _items(self, source: Any) -> Iterator[Any]:
        try:
            while True:
                try:
                    yield self._loop.run_until_complete(source.__anext__())
                except StopAsyncIteration:
                    return
        finally:
            self._loop.run_until_complete(source.aclose())


#: Creates a client of either kind; typed as the one that blocks.
NewClient = Callable[..., SvcClient]


@pytest.fixture(params=["blocking", "asyncio"])
def new_client(request: pytest.FixtureRequest) -> Iterator[NewClient]:
    made: List[Any] = []
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)

    def create(*args: Any, **named: Any) -> Any:
        is_blocking = request.param == "blocking"
        client = SvcClient(*args, **named) if is_blocking else Blocking(AsyncSvcClient(*args, **named), loop)
        made.append(client)
        return client

    yield create
    for client in made:
        client.close()
    loop.close()


@pytest.fixture
def url() -> str:
    """A service without authentication, which rejects undeclared parameters."""
    return os.environ["SVC_OPEN_URL"]


@pytest.fixture
def closed_url() -> str:
    """A service with authentication."""
    return os.environ["SVC_CLOSED_URL"]


@pytest.fixture
def password() -> str:
    return os.environ["SVC_PASSWORD"]


@pytest.fixture
def faulty(url: str) -> Iterator[FaultyServer]:
    with FaultyServer(url) as server:
        yield server


@pytest.fixture
def client(new_client: NewClient, url: str) -> SvcClient:
    return new_client(url)


@pytest.fixture
def cache(client: SvcClient) -> str:
    """The name of a new cache."""
    name = f"python{uuid.uuid4().hex}"
    client.getorcreate(cache_name=name)
    return name
