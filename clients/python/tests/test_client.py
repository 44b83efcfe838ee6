"""The cases of test/client/suite.ts, with the blocking and the asyncio client, against running services."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import threading
import time
import uuid
from decimal import Decimal
from typing import Any, AsyncIterator, Iterator, List, Tuple

import httpx
import pytest
from conftest import NewClient
from faulty_server import Fault, FaultyServer

from svc_grid import AsyncSvcClient, SvcClient, SvcError

BUSY = Fault(status=503, headers={"Retry-After": "1"})
LOST = Fault(loses_answer=True)


def test_keys_and_values_keep_their_types_and_digits(client: SvcClient, cache: str) -> None:
    values: List[Any] = [
        'text é€😀\0"\\',
        9007199254740993,
        -5,
        2**63 - 1,
        1.5,
        0.1,
        True,
        Decimal("1234567890123456789.012345"),
        Decimal("2410611.00"),
        Decimal("1E+3"),
        1e20,
        1e-7,
        {"name": "Ann", "ids": [9007199254740993, "a"]},
        ["a", 1, {}],
    ]
    for index, value in enumerate(values):
        client.put(f"v{index}", value, cache_name=cache)
    found = [client.get(f"v{index}", cache_name=cache) for index in range(len(values))]
    assert [(type(each), str(each)) for each in found] == [(type(each), str(each)) for each in values]
    assert client.put(7, 1, cache_name=cache) is True
    assert client.get("7", cache_name=cache, key_type="long") == 1
    assert client.get("7", cache_name=cache) is None
    assert client.getall(["v0", "v1", "none"], cache_name=cache) == {"v0": values[0], "v1": values[1]}


def test_values_that_json_does_not_have_are_rejected(client: SvcClient) -> None:
    values: List[Any] = [float("nan"), Decimal("Infinity"), object()]
    for value in values:
        with pytest.raises(TypeError):
            client.put("a", value)
    with pytest.raises(TypeError, match="several types"):
        client.getall([1, "a"])


def test_counters_beyond_doubles_are_exact(client: SvcClient, cache: str) -> None:
    assert client.size(cache_name=cache) == 0
    assert client.incr(f"{cache}-counter", 1, init=9007199254740992) == 9007199254740993


def test_a_write_whose_answer_is_lost_is_executed_once(new_client: NewClient, faulty: FaultyServer) -> None:
    client = new_client(faulty.url)
    faulty.faults = [LOST, LOST]
    key = f"lost{uuid.uuid4()}"
    assert client.incr(key, 3) == 3
    assert client.incr(key, 0) == 3
    assert faulty.commands == ["incr"] * 4
    assert faulty.keys[0] == faulty.keys[1] == faulty.keys[2] != faulty.keys[3]


def test_an_idempotency_key_of_the_caller_has_one_effect(client: SvcClient) -> None:
    key = f"once{uuid.uuid4()}"
    assert [client.incr(key, 2, idempotency_key=key) for _ in range(3)] == [2, 2, 2]
    assert client.incr(key, 0) == 2
    with pytest.raises(SvcError) as reused:
        client.incr(key, 5, idempotency_key=key)
    assert reused.value.code == "IDEMPOTENCY_KEY_REUSED"


def test_a_busy_service_is_asked_again_after_the_time_that_it_asks_for(
    new_client: NewClient, faulty: FaultyServer
) -> None:
    client = new_client(faulty.url)
    faulty.faults = [BUSY]
    started = time.monotonic()
    assert isinstance(client.version(), str)
    assert time.monotonic() - started >= 0.99


def test_a_command_without_key_is_repeated_only_if_it_was_not_executed(
    new_client: NewClient, faulty: FaultyServer
) -> None:
    client = new_client(faulty.url)
    page = client.qryfldexe("SELECT X FROM SYSTEM_RANGE(1, 5)", page_size=2)
    faulty.faults = [Fault(status=429)]
    assert client.qryfetch(page["queryId"], page_size=2)["items"] == [[3], [4]]
    faulty.faults = [LOST]
    with pytest.raises(ConnectionError):
        client.qryfetch(page["queryId"], page_size=2)
    assert faulty.commands == ["qryfldexe", "qryfetch", "qryfetch", "qryfetch"]


def test_a_failure_that_does_not_pass_is_not_repeated(new_client: NewClient, faulty: FaultyServer) -> None:
    with pytest.raises(SvcError) as caught:
        new_client(faulty.url).get("a", cache_name="none")
    error = caught.value
    assert (error.command, error.success_status, error.http) == ("get", 1, 404)
    assert str(error) == error.message == "Failed to find cache for given cache name: none"
    assert faulty.commands == ["get"]


def test_a_failure_has_its_code_and_says_what_is_wrong(client: SvcClient) -> None:
    calls: List[Tuple[Any, Tuple[str, Any, Any]]] = [
        (lambda: client.get("a", cache_name="none"), ("CACHE_NOT_FOUND", None, None)),
        (lambda: client.get("x", key_type="int"), ("CONVERSION", "key", None)),
        (lambda: list(client.query("SELECT nothing")), ("SQL_OBJECT_NOT_FOUND", None, 8)),
        (lambda: list(client.watch(["none"])), ("CACHE_NOT_FOUND", None, None)),
    ]
    for call, expected in calls:
        with pytest.raises(SvcError) as caught:
            call()
        error = caught.value
        assert (error.code, error.parameter, error.position) == expected
        assert isinstance(error.remedy, str)
        assert error.documentation == f"/docs/errors/{error.code}"
    with pytest.raises(SvcError) as failed:
        client.batch([{"cmd": "get"}], atomic=True)
    assert failed.value.code == "PARAMETER_MISSING"
    (result,) = client.batch([{"cmd": "get"}])
    assert result["error"] is not None and result["error"]["code"] == "PARAMETER_MISSING"


def test_a_code_is_never_derived_from_a_text(new_client: NewClient, faulty: FaultyServer) -> None:
    client = new_client(faulty.url, retries=0)
    envelope = '{"successStatus":1,"sessionToken":null,"error":"CACHE_NOT_FOUND","response":null}'
    faulty.faults = [
        Fault(status=200, body=envelope),
        Fault(status=404, body="CACHE_NOT_FOUND"),
        Fault(status=200, body=envelope, headers={"Error-Code": "INACTIVE"}),
    ]
    for code in (None, None, "INACTIVE"):
        with pytest.raises(SvcError) as caught:
            client.version()
        assert (caught.value.code, caught.value.parameter) == (code, None)


def test_an_answer_of_a_proxy_in_another_encoding_is_a_failure_of_the_service(
    new_client: NewClient, faulty: FaultyServer
) -> None:
    client = new_client(faulty.url, retries=0)
    faulty.faults = [Fault(status=502, body="caf\udce9")] * 3
    calls: List[Any] = [client.version, lambda: client.export("csv", table="T"), lambda: list(client.watch())]
    for call in calls:
        with pytest.raises(SvcError, match="No envelope, but caf\ufffd") as caught:
            call()
        assert caught.value.http == 502


def test_only_the_prefix_of_a_name_stands_for_the_name_of_the_service() -> None:
    sent: List[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content))
        return httpx.Response(200, json={"successStatus": 0, "response": True})

    with SvcClient("http://localhost/grid", transport=httpx.MockTransport(answer)) as client:
        client.call("new", {"svc.login": "a", "own.svc.login": "b"})
    assert sent == [{"grid.login": "a", "own.svc.login": "b"}]


def test_a_network_that_fails_for_good_is_reported_after_the_retries(
    new_client: NewClient, faulty: FaultyServer
) -> None:
    faulty.faults = [LOST, LOST]
    with pytest.raises(ConnectionError):
        new_client(faulty.url, retries=1).version()
    assert faulty.commands == ["version", "version"]
    with pytest.raises(ConnectionError):
        new_client("http://127.0.0.1:1/svc", retries=1).version()


def test_a_time_limit_ends_a_request(new_client: NewClient, url: str) -> None:
    client = new_client(url, timeout_seconds=0.05, retries=0)
    with pytest.raises(TimeoutError):
        client.qryfldexe(
            "SELECT COUNT(*) FROM SYSTEM_RANGE(1, 3000000) A, SYSTEM_RANGE(1, 3000000) B", page_size=1, timeout=5000
        )


def test_the_client_logs_in_once_and_again_when_its_session_has_expired(
    new_client: NewClient, closed_url: str, password: str
) -> None:
    with FaultyServer(closed_url) as faulty:
        client = new_client(faulty.url, user="svc", password=password)
        assert client.size() >= 0
        assert client.size() >= 0
        assert faulty.commands == ["authenticate", "size", "size"]
        faulty.faults = [Fault(token="0" * 32)]
        assert client.size() >= 0
        assert faulty.commands[3:] == ["size", "authenticate", "size"]


def test_threads_share_a_login(closed_url: str, password: str) -> None:
    with FaultyServer(closed_url) as faulty, SvcClient(faulty.url, user="svc", password=password) as client:
        threads = [threading.Thread(target=client.size) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(faulty.commands) == ["authenticate"] + ["size"] * 4


def test_a_wrong_password_and_a_missing_login_are_reported(new_client: NewClient, closed_url: str) -> None:
    for client, code in (
        (new_client(closed_url, user="svc", password="wrong"), "CREDENTIALS_WRONG"),
        (new_client(closed_url), "TOKEN_MISSING"),
    ):
        with pytest.raises(SvcError) as caught:
            client.size()
        assert (caught.value.http, caught.value.code) == (401, code)


def test_an_api_key_replaces_a_login(new_client: NewClient, closed_url: str, password: str) -> None:
    admin = new_client(closed_url, user="svc", password=password)
    made = admin.apikeyadd(f"python{uuid.uuid4().hex}")
    assert new_client(closed_url, token=made["key"]).size() >= 0
    assert admin.apikeyrmv(made["id"]) is True


def test_bulk_commands_of_any_size_are_split(new_client: NewClient, faulty: FaultyServer, cache: str) -> None:
    client = new_client(faulty.url, bulk_keys=10)
    keys = [f"k{index}" for index in range(25)]
    values = list(range(25))
    assert client.putall(keys, values, cache_name=cache) is True
    assert client.getall(keys, cache_name=cache) == dict(zip(keys, values))
    assert client.conkeys([*keys, "none"], cache_name=cache) is False
    assert client.conkeys(keys, cache_name=cache) is True
    assert client.rmvall(keys, cache_name=cache) is True
    assert client.size(cache_name=cache) == 0
    assert faulty.commands.count("putall") == 3
    with pytest.raises(TypeError):
        client.putall(keys, [1], cache_name=cache)


def test_a_query_returns_decimals_of_every_page_as_they_were_sent(client: SvcClient) -> None:
    statement = "SELECT CAST(X AS DECIMAL(10, 1)), CAST(X / 2.0 AS DOUBLE), 1.50 FROM SYSTEM_RANGE(1, 3)"
    rows = list(client.query(statement, page_size=2))
    assert [[str(each) for each in row] for row in rows] == [
        ["1.0", "0.5", "1.50"],
        ["2.0", "1.0", "1.50"],
        ["3.0", "1.5", "1.50"],
    ]
    assert [type(each) for each in rows[2]] == [Decimal, float, Decimal]


def test_a_query_returns_the_rows_of_three_pages(new_client: NewClient, faulty: FaultyServer) -> None:
    client = new_client(faulty.url)
    statement = "SELECT X, CAST(X AS VARCHAR) FROM SYSTEM_RANGE(1, ?)"
    rows = list(client.query(statement, [5], page_size=2))
    assert rows == [[each, str(each)] for each in range(1, 6)]
    assert faulty.commands == ["qryfldexe", "qryfetch", "qryfetch"]


def test_a_loop_that_ends_early_closes_its_cursor(new_client: NewClient, faulty: FaultyServer) -> None:
    rows = new_client(faulty.url).query("SELECT X FROM SYSTEM_RANGE(1, 1000)", page_size=10)
    for (first,) in rows:
        if first == 15:
            break
    rows.close()
    assert faulty.commands == ["qryfldexe", "qryfetch", "qrycls"]


def test_a_scan_returns_the_entries(client: SvcClient, cache: str) -> None:
    client.putall([1, 2, 3], ["a", "b", "c"], cache_name=cache)
    assert sorted(client.scan(cache_name=cache, page_size=2)) == [(1, "a"), (2, "b"), (3, "c")]
    client.put(4, Decimal("1.50"), cache_name=cache)
    assert str(dict(client.scan(cache_name=cache))[4]) == "1.50"


def test_watch_returns_the_changes_and_resumes_when_the_connection_ends(
    new_client: NewClient, faulty: FaultyServer, cache: str
) -> None:
    client = new_client(faulty.url)
    client.changefeed(cache_name=cache)
    for value in ("1", "2", "3"):
        client.put("a", value, cache_name=cache)
    faulty.commands.clear()
    faulty.faults = [Fault(cut_after_lines=2), None]
    watched = client.watch([cache], from_="start", operations=["created", "updated"], follow=False)
    changes = list(watched)
    assert [(each.operation, each.key, each.value) for each in changes] == [
        ("created", "a", "1"),
        ("updated", "a", "2"),
        ("updated", "a", "3"),
    ]
    assert faulty.commands == ["watch", "watch"]
    later = client.watch([cache], from_=str(changes[1].position), with_old_values=True, follow=False)
    assert [(each.value, each.old_value) for each in later] == [("3", "2")]
    with pytest.raises(SvcError) as gone:
        list(client.watch([cache], from_="0123456789ab.1"))
    assert (gone.value.http, gone.value.code) == (410, "CHANGE_POSITION_GONE")


def test_watch_returns_texts_with_every_line_break(client: SvcClient, cache: str) -> None:
    client.changefeed(cache_name=cache)
    values = ["a\u2028b", "a\u2029b", "a\x85b", "a\x0b\x0c\x1c\r\nb", "last"]
    for value in values:
        client.put("a", value, cache_name=cache)
    watched = client.watch([cache], from_="start", operations=["created", "updated"], follow=False)
    assert [each.value for each in watched] == values


def test_watch_waits_for_changes(client: SvcClient, cache: str, url: str) -> None:
    client.changefeed(cache_name=cache)
    with SvcClient(url) as writer:
        later = threading.Timer(0.3, lambda: writer.put("a", 1, cache_name=cache))
        later.start()
        changes = client.watch([cache], from_="start", operations=["created"])
        assert next(changes).value == 1
        changes.close()
        later.join()


def test_watch_logs_in_again_when_the_session_has_expired(
    new_client: NewClient, closed_url: str, password: str
) -> None:
    with FaultyServer(closed_url) as faulty:
        client = new_client(faulty.url, user="svc", password=password)
        name = f"python{uuid.uuid4().hex}"
        client.getorcreate(cache_name=name, change_feed=True)
        client.put("a", "1", cache_name=name)
        faulty.commands.clear()
        faulty.faults = [Fault(token="0" * 32)]
        watched = client.watch([name], from_="start", operations=["created"], follow=False)
        assert [each.value for each in watched] == ["1"]
        assert faulty.commands == ["watch", "authenticate", "watch"]


def test_a_stream_that_cannot_be_resumed_reports_where_changes_may_be_missing(
    new_client: NewClient, faulty: FaultyServer
) -> None:
    opened = '{"event":"open","position":null,"resumable":false}\n'
    gap = '{"event":"gap","position":null,"cache":"c","reason":"a node left"}\n'
    change = '{"event":"change","position":null,"operation":"removed","cache":"c","time":"t","key":"a"}\n'
    end = '{"event":"end","position":null,"reason":"complete","error":null}\n'
    # In front of a cluster the first stream ends without a word, the second one completely.
    streams = [Fault(status=200, body=opened + change + gap), Fault(status=200, body=opened + change + end)]
    client = new_client(faulty.url)
    faulty.faults = list(streams)
    gaps: List[str] = []
    assert [each.position for each in client.watch(on_gap=gaps.append)] == [None, None]
    assert gaps == ["a node left", "the connection to the service ended"]
    faulty.faults = list(streams)
    changes = client.watch()
    assert next(changes).key == "a"
    with pytest.raises(SvcError, match="a node left"):
        next(changes)


def test_rows_are_imported_and_exported_as_streams(client: SvcClient, cache: str) -> None:
    rows = "key,value\na,1\nb,9007199254740993\n"
    stored = client.import_(rows, "csv", cache_name=cache, valueType="long")
    assert (stored["state"], stored["rows"]) == ("done", 2)
    assert client.get("b", cache_name=cache) == 9007199254740993
    lines = b"".join(client.export("ndjson", cache_name=cache)).split(b"\n")
    assert len([line for line in lines if b"9007199254740993" in line]) == 1
    assert len(lines) == 3
    with pytest.raises(SvcError) as caught:
        client.import_("key,value\na,1\nb,x\n", "csv", cache_name=cache, value_type="long", on_duplicate="replace")
    assert (caught.value.command, caught.value.http, caught.value.response["rows"]) == ("import", 400, 1)
    with pytest.raises(SvcError) as missing:
        client.export("csv", cache_name="none")
    assert (missing.value.command, missing.value.http) == ("export", 404)


def test_lists_in_a_query_string_are_names_with_commas(client: SvcClient, cache: str) -> None:
    stored = client.import_("a,1\n", "csv", cache_name=cache, columns=["key", "value"], header=False)
    assert (stored["rows"], client.get("a", cache_name=cache)) == (1, "1")
    with pytest.raises(TypeError, match="columns: a dict is no text"):
        client.import_("a,1\n", "csv", cache_name=cache, columns={"key": 1})


def test_a_source_is_imported_while_it_is_read(closed_url: str, password: str) -> None:
    with FaultyServer(closed_url) as faulty, SvcClient(closed_url, user="svc", password=password) as client:
        name = f"python{uuid.uuid4().hex}"
        client.getorcreate(cache_name=name)
        lines = (f'{{"key":"{number}","value":{number}}}\n'.encode() for number in range(100))
        assert client.import_(lines, "ndjson", cache_name=name)["rows"] == 100
        assert client.size(cache_name=name) == 100
        assert faulty.commands == []


def test_rows_that_an_error_ends_fail_with_its_code(new_client: NewClient, faulty: FaultyServer) -> None:
    lines = '{"id":1}\n{"error":{"code":"QUERY_LOST","message":"lost","remedy":"again"}}\n'
    headers = {"Content-Type": "application/x-ndjson"}
    faulty.faults = [Fault(status=200, body=lines, headers=headers)]
    # Rows that end as they should may look the same.
    assert b"".join(new_client(faulty.url).export("ndjson", table="T")) == lines.encode()
    with FaultyServer(faulty.url) as cutting:
        faulty.faults = [Fault(status=200, body=lines, headers=headers)]
        cutting.faults = [Fault(cut_after_lines=2)]
        rows = new_client(cutting.url).export("ndjson", table="T")
        assert next(chunk for chunk in rows if chunk) == b'{"id":1}\n'
        with pytest.raises(SvcError) as caught:
            list(rows)
        assert (caught.value.code, str(caught.value), caught.value.command) == ("QUERY_LOST", "lost", "export")


class _Unread(httpx.SyncByteStream, httpx.AsyncByteStream):
    """Rows that are never read."""

    def __init__(self) -> None:
        self.is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        yield b"a,b\n"

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b"a,b\n"

    def close(self) -> None:
        self.is_closed = True

    async def aclose(self) -> None:
        self.is_closed = True


def test_a_stream_that_nobody_reads_can_be_closed() -> None:
    streams = [_Unread(), _Unread()]
    unread = iter(streams)

    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"Content-Type": "text/csv"}, stream=next(unread))

    transport = httpx.MockTransport(answer)
    with SvcClient("http://localhost/svc", transport=transport) as client:
        client.export("csv", table="T").close()

    async def close_early() -> None:
        async with AsyncSvcClient("http://localhost/svc", transport=transport) as client:
            await (await client.export("csv", table="T")).aclose()

    asyncio.run(close_early())
    assert [each.is_closed for each in streams] == [True, True]


def test_a_backup_is_a_stream_of_bytes(new_client: NewClient, closed_url: str, password: str) -> None:
    client = new_client(closed_url, user="svc", password=password)
    assert sum(len(chunk) for chunk in client.backup_stream()) > 1000


def test_a_batch_executes_commands(client: SvcClient, cache: str) -> None:
    results = client.batch(
        [
            {"cmd": "put", "cacheName": cache, "key": "a", "val": "1"},
            {"cmd": "get", "cacheName": cache, "key": "a"},
        ]
    )
    assert [each["response"] for each in results] == [True, "1"]


def trusting() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=os.environ["SVC_TLS_AUTHORITY"])


def test_an_authority_of_ones_own_is_trusted_over_tls(new_client: NewClient) -> None:
    client = new_client(os.environ["SVC_TLS_URL"], tls=trusting())
    client.put("tls", "a")
    assert client.get("tls") == "a"


@pytest.mark.parametrize("name", ["SVC_TLS_WRONG_NAME_URL", "SVC_TLS_EXPIRED_URL"])
def test_a_certificate_of_another_host_or_an_expired_one_is_rejected(new_client: NewClient, name: str) -> None:
    client = new_client(os.environ[name], tls=trusting(), retries=0)
    with pytest.raises(ConnectionError, match="certificate verify failed"):
        client.put("tls", "b")


def test_without_its_authority_a_certificate_is_rejected(new_client: NewClient) -> None:
    client = new_client(os.environ["SVC_TLS_URL"], retries=0)
    with pytest.raises(ConnectionError, match="certificate verify failed"):
        client.get("tls")
