"""Python values that JSON cannot represent, as keys, values and arguments."""

from __future__ import annotations

import datetime
import uuid
from typing import Any

import pytest
from conftest import NewClient

from svc_grid import SvcClient

UUID = uuid.UUID("5b0e2c0a-3f1d-4c5b-9e7a-0123456789ab")
ZONE = datetime.timezone(datetime.timedelta(hours=2))


@pytest.mark.parametrize(
    ("value", "returned", "column"),
    [
        (datetime.date(2026, 1, 2), "2026-01-02", "java.sql.Date"),
        (datetime.time(3, 4, 5), "03:04:05", "java.sql.Time"),
        (datetime.datetime(2026, 1, 2, 3, 4, 5), "2026-01-02 03:04:05.0", "java.sql.Timestamp"),
        (datetime.datetime(2026, 1, 2, 3, 4, 5, 123456), "2026-01-02 03:04:05.123456", "java.sql.Timestamp"),
        (datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=ZONE), "2026-01-02 01:04:05.0", "java.sql.Timestamp"),
        (UUID, str(UUID), "java.util.UUID"),
        (b"\x01\x02", "AQI=", "[B"),
        (bytearray(b""), "", "[B"),
    ],
)
def test_dates_uuids_and_bytes_have_their_types(
    client: SvcClient, cache: str, value: Any, returned: str, column: str
) -> None:
    client.put("a", value, cache_name=cache)
    assert client.get("a", cache_name=cache) == returned
    client.putall(["b", "c"], [value, value], cache_name=cache)
    assert client.getall(["b", "c"], cache_name=cache) == {"b": returned, "c": returned}
    if not isinstance(value, (bytes, bytearray)):
        client.put(value, "found", cache_name=cache)
        assert client.get(value, cache_name=cache) == "found"
    page = client.qryfldexe("SELECT ?, ?", args=["text", value])
    assert [page["items"][0][1], (page["fieldsMetadata"] or [])[1]["fieldTypeName"]] == [returned, column]
    assert list(client.query("SELECT ?, ? IS NULL", [value, None])) == [[returned, True]]


def test_a_declared_type_outranks_that_of_the_value(client: SvcClient, cache: str) -> None:
    client.put("a", datetime.date(2026, 1, 2), value_type="string", cache_name=cache)
    client.append("a", "!", cache_name=cache)
    assert client.get("a", cache_name=cache) == "2026-01-02!"


def test_values_of_several_types_are_rejected(client: SvcClient, cache: str) -> None:
    with pytest.raises(TypeError, match="^values has values of several types$"):
        client.putall(["a", "b"], [datetime.date(2026, 1, 2), UUID], cache_name=cache)


def test_dates_are_those_of_iso_8601_where_the_client_asks_for_them(
    new_client: NewClient, client: SvcClient, url: str, cache: str
) -> None:
    client.put("a", datetime.datetime(2026, 1, 2, 3, 4, 5), cache_name=cache)
    assert new_client(url, dates="iso").get("a", cache_name=cache) == "2026-01-02T03:04:05"
