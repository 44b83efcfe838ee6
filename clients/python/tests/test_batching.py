"""Calls that share a batch are answered as the same calls one by one."""

from __future__ import annotations

import asyncio
import json
import random
import uuid
from typing import Any, Awaitable, Callable, List, Optional

import httpx
import pytest

from svc_grid import AsyncSvcClient, SvcClient, SvcError


class Transport(httpx.AsyncHTTPTransport):
    """Records the commands that are sent. `fault` answers a request in place of the service, after it was executed."""

    def __init__(self, fault: Optional[Callable[[str], Optional[httpx.Response]]] = None) -> None:
        super().__init__()
        self.commands: List[str] = []
        self._fault = fault

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        command = request.url.path.rpartition("/")[2]
        self.commands.append(command)
        response = await super().handle_async_request(request)
        replaced = None if self._fault is None else self._fault(command)
        if replaced is not None:
            await response.aclose()
        return replaced or response


@pytest.fixture
def cache(url: str) -> str:
    """The name of a new cache; there are batches of one kind of client alone."""
    name = f"python{uuid.uuid4().hex}"
    with SvcClient(url) as client:
        client.getorcreate(cache_name=name)
    return name


def run(body: Awaitable[None]) -> None:
    async def main() -> None:
        await body

    asyncio.run(main())


async def outcome(answer: Awaitable[Any]) -> str:
    try:
        return repr(await answer)
    except SvcError as error:
        shown = [error.message, error.code, error.http, error.success_status, error.command, error.parameter, error.remedy]
        return repr(shown)
    except TypeError as error:
        return str(error)


def random_call(chance: random.Random) -> Callable[[AsyncSvcClient, str], Awaitable[Any]]:
    key: Any = chance.choice(["a", "b", "c", 1, 2.5, True, 9_007_199_254_740_993])
    val: Any = chance.choice(["x", 7, 2**60, {"name": "Ann"}, [1, "two"]])
    at = chance.randrange(1_000)
    calls: List[Callable[[AsyncSvcClient, str], Awaitable[Any]]] = [
        lambda client, cache: client.get(key, cache_name=cache),
        lambda client, cache: client.get(key, cache_name=f"{cache}-missing"),
        lambda client, cache: client.get("no number", cache_name=cache, key_type="int"),
        lambda client, cache: client.put(key, val, cache_name=cache),
        lambda client, cache: client.putifabs(key, val, cache_name=cache),
        lambda client, cache: client.rmv(key, cache_name=cache),
        lambda client, cache: client.append(key, f"-{at}", cache_name=cache),
        lambda client, cache: client.incr(key=f"{cache}-{key}", delta=at, init=5),
        lambda client, cache: client.put(key, float("nan"), cache_name=cache),
    ]
    return chance.choice(calls)


def test_a_history_with_batches_is_answered_as_without(url: str) -> None:
    seed = uuid.uuid4().int % 2**32

    async def body() -> None:
        chance = random.Random(seed)
        transport = Transport()
        async with AsyncSvcClient(url, batching=True, transport=transport) as batched, AsyncSvcClient(url) as single:
            together, alone = f"together{seed}", f"alone{seed}"
            for cache in (together, alone):
                await single.getorcreate(cache_name=cache)
            for _ in range(15):
                calls = [random_call(chance) for _ in range(chance.randrange(1, 30))]
                answers = await asyncio.gather(*(outcome(call(batched, together)) for call in calls))
                expected = [await outcome(call(single, alone)) for call in calls]
                shown = [each.replace(together, "CACHE") for each in answers]
                assert (seed, shown) == (seed, [each.replace(alone, "CACHE") for each in expected])
            assert transport.commands.count("batch") > 8

    run(body())


def test_calls_of_a_tick_share_a_request(url: str, cache: str) -> None:
    async def body() -> None:
        transport = Transport()
        async with AsyncSvcClient(url, batching=True, transport=transport) as client:
            keys = [f"k{at}" for at in range(64)]
            assert await asyncio.gather(*(client.put(key, 1, cache_name=cache) for key in keys)) == [True] * 64
            assert transport.commands == ["batch"]

            async def twice(key: str) -> Any:
                await client.get(key, cache_name=cache)
                return await client.get(key, cache_name=cache)

            assert await asyncio.gather(*(twice(key) for key in keys)) == [1] * 64
            assert transport.commands == ["batch", "batch", "batch"]

    run(body())


def test_a_call_with_its_own_key_goes_alone(url: str, cache: str) -> None:
    async def body() -> None:
        transport = Transport()
        async with AsyncSvcClient(url, batching=True, transport=transport) as client:
            await asyncio.gather(
                client.put("a", 1, cache_name=cache, idempotency_key=uuid.uuid4().hex),
                client.put("b", 1, cache_name=cache),
                client.put("c", 1, cache_name=cache),
                client.getput("d", 1, cache_name=cache),
            )
            assert sorted(transport.commands) == ["batch", "getput", "put"]

    run(body())


def test_a_lost_answer_changes_nothing_twice(url: str) -> None:
    name = f"counter{uuid.uuid4().hex}"
    lost = [0]

    def lose(command: str) -> Optional[httpx.Response]:
        if command == "batch" and lost[0] == 0:
            lost[0] = 1
            raise httpx.ReadError("cut")
        return None

    async def body() -> None:
        transport = Transport(lose)
        async with AsyncSvcClient(url, batching=True, transport=transport) as client:
            await client.get("a")
            await asyncio.gather(*(client.incr(key=name, delta=1, init=0) for _ in range(10)))
            assert [transport.commands.count("batch"), await client.incr(key=name, delta=1)] == [2, 11]

    run(body())


def test_calls_of_a_rejected_batch_are_sent_one_by_one(url: str, cache: str) -> None:
    def reject(command: str) -> Optional[httpx.Response]:
        error = {"code": "LIMIT_EXCEEDED", "message": "too many"}
        text = json.dumps({"successStatus": 1, "error": error, "response": None})
        return httpx.Response(400, content=text.encode()) if command == "batch" else None

    async def body() -> None:
        transport = Transport(reject)
        async with AsyncSvcClient(url, batching=True, transport=transport) as client:
            for _ in range(2):
                assert await asyncio.gather(*(client.get(key, cache_name=cache) for key in "ab")) == [None, None]
            assert transport.commands.count("batch") == 1

    run(body())


def test_a_cancelled_call_leaves_the_others(url: str, cache: str) -> None:
    async def body() -> None:
        async with AsyncSvcClient(url, batching=True) as client:
            calls = [asyncio.ensure_future(client.put(key, key, cache_name=cache)) for key in "abc"]
            await asyncio.sleep(0)
            calls[1].cancel()
            assert [await calls[0], await calls[2]] == [True, True]
            with pytest.raises(asyncio.CancelledError):
                await calls[1]

    run(body())
