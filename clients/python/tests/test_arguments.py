"""What the clients say about wrong arguments and services that do not answer. No case needs a running service."""

from __future__ import annotations

import datetime
import socket
from typing import Any, Dict

import pytest
from conftest import NewClient

from svc_grid import SvcClient

URL = "http://127.0.0.1:1/svc"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"url": "localhost:8080/svc"}, r"^url must be the endpoint .*, got 'localhost:8080/svc'$"),
        ({"url": "http://localhost:8080"}, r"^url must be the endpoint .*, got 'http://localhost:8080'$"),
        ({"url": "http://localhost:port/svc"}, "^url must be the endpoint"),
        ({"url": "http://localhost/svc?cmd=get"}, "^url must be the endpoint"),
        ({"url": ["http://a/svc", "http://b/svc"]}, "^url must be one str: separate several addresses by commas, got "),
        ({"url": None}, "^url must be the endpoint .*, got None$"),
        ({"retries": -1}, "^retries must be a whole number of 0 or more, got -1$"),
        ({"retries": 0.5}, "^retries must be"),
        ({"dates": "ISO"}, "^dates must be text or iso, got 'ISO'$"),
        ({"bulk_keys": 0}, "^bulk_keys must be a whole number of 1 or more, got 0$"),
        ({"timeout_seconds": float("nan")}, "^timeout_seconds must be a number above 0, got nan$"),
        ({"timeout_seconds": 0}, "^timeout_seconds must be a number above 0, got 0$"),
        ({"timeout_seconds": "5"}, "^timeout_seconds must be"),
    ],
)
def test_a_wrong_argument_of_the_client_is_named(new_client: NewClient, arguments: Dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        new_client(**{"url": URL, **arguments})


def test_a_token_with_a_line_break_is_rejected_and_not_shown(new_client: NewClient) -> None:
    with pytest.raises(ValueError, match="^token must consist of visible ASCII characters") as caught:
        new_client(URL, token="secret\n")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda client: client.put("a", float("nan")), "^val: JSON has no nan$"),
        (lambda client: client.put(float("inf"), 1), "^key: JSON has no inf$"),
        (lambda client: client.put("a", [datetime.date(2026, 1, 1)]), "^val: JSON has no date$"),
        (lambda client: client.put("a", complex(1, 2)), "^val: JSON has no complex$"),
        (lambda client: client.put("a", datetime.timedelta(1)), "^val: JSON has no timedelta$"),
        (lambda client: client.getall({"a"}), "^keys: JSON has no set$"),
        (lambda client: list(client.query("SELECT ?", [float("nan")])), "^args: JSON has no nan$"),
        (lambda client: client.putall(["a"] * 3, [1]), "^keys and values differ in number: 3 and 1$"),
    ],
)
def test_a_value_that_json_does_not_have_is_named(new_client: NewClient, call: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        call(new_client(URL, bulk_keys=2))


def test_an_unknown_format_and_a_wrong_idempotency_key_are_named(new_client: NewClient) -> None:
    client = new_client(URL)
    for call in (lambda: client.import_("a\n", "xml", table="T"), lambda: client.export("xml", table="T")):
        with pytest.raises(ValueError, match="^format must be csv or ndjson, got 'xml'$"):
            call()
    with pytest.raises(ValueError, match="^idempotency_key must consist of printable ASCII characters, got 'caf\xe9'$"):
        client.put("a", "b", idempotency_key="caf\xe9")


def test_a_service_that_is_not_there_is_named(new_client: NewClient) -> None:
    client = new_client("http://ann:secret@127.0.0.1:1/svc/", retries=0)
    for call in (client.version, lambda: list(client.watch()), lambda: client.export("csv", table="T")):
        with pytest.raises(ConnectionError, match=r"^Cannot connect to http://127.0.0.1:1/svc: \[Errno \d+\]"):
            call()


def test_a_service_that_does_not_answer_is_named(new_client: NewClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/svc"
        with pytest.raises(TimeoutError, match=f"^No answer from {url} in time"):
            new_client(url, retries=0, timeout_seconds=0.1).version()


def test_a_client_of_another_path_is_accepted() -> None:
    SvcClient("https://example.com/data/grid/").close()
