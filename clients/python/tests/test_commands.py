"""Every command, with the parameters that the OpenAPI document declares."""

from __future__ import annotations

import inspect
import json
import os
import re
import typing
import urllib.parse
import urllib.request
from typing import Any, Dict, List, Mapping, Optional, Set, Tuple

import pytest

from svc_grid import SvcClient, SvcError, _results
from svc_grid._async_commands import AsyncCommandMethods
from svc_grid._commands import CommandMethods
from svc_grid._results import TRAITS

with urllib.request.urlopen(urllib.parse.urljoin(os.environ["SVC_OPEN_URL"], "/openapi.json")) as response:
    DOCUMENT = json.load(response)
#: Parameters of every request, and those that decide what a method returns.
NOT_OF_METHODS = {"cmd", "httpStatus", "errors", "numbers", "dates", "asArray", "stream"}
SAMPLES: Mapping[str, Any] = {
    "state": "ACTIVE",
    "action": "start",
    "of": "version",
    "commands": [{"cmd": "version"}],
    "keys": ["a"],
    "values": ["b"],
    "delta": 1,
    "qry_id": 1,
    "qry": "SELECT 1",
    "rights": "{}",
}
#: Parameters that are not required, of which the command needs one.
NEEDED: Mapping[str, Mapping[str, Any]] = {
    "rmvval": {"val": "b"},
    "sessionrmv": {"user": "nobody"},
    "updatettl": {"ttl_ms": 1000},
}
#: What a service says that has understood a request.
NOT_UNDERSTOOD = ("COMMAND_UNKNOWN", "PARAMETER_UNKNOWN", "PARAMETER_MISSING", "CONVERSION", "INTERNAL")


class Recorder(CommandMethods):
    """Keeps what a method sends."""

    def __init__(self) -> None:
        self.sent: Dict[str, Any] = {}
        self.key: Optional[str] = None

    def call(self, command: str, parameters: Mapping[str, Any], *, idempotency_key: Optional[str] = None) -> Any:
        self.sent = {"cmd": command, **parameters}
        self.key = idempotency_key


def parameters_of(name: str) -> List[inspect.Parameter]:
    signature = inspect.signature(getattr(CommandMethods, name))
    return [each for each in signature.parameters.values() if each.name not in ("self", "others")]


def declared_parameters(name: str) -> Tuple[Set[str], Set[str]]:
    """Returns the names of all parameters of a command and those of the ones that it needs, as the service names them."""
    operation = DOCUMENT["paths"][f"/svc/{name}"]
    if "get" in operation:
        shared = DOCUMENT["components"]["parameters"]
        listed = operation["get"].get("parameters", [])
        given = [shared[each["$ref"].rpartition("/")[2]] if "$ref" in each else each for each in listed]
        names = {each["name"] for each in given}
        required = {each["name"] for each in given if each.get("required")}
    else:
        schema = DOCUMENT["components"]["schemas"].get(f"{name.capitalize()}Request", {})
        names, required = set(schema.get("properties", [])), set(schema.get("required", []))
    return names - NOT_OF_METHODS, required - NOT_OF_METHODS - {"pageSize"}


def test_there_is_a_method_for_each_command() -> None:
    tags = {path.rpartition("/")[2] for path in DOCUMENT["paths"] if re.fullmatch(r"/svc/[a-z]+", path)}
    assert set(TRAITS) | {"import", "export", "watch"} == tags
    for name in TRAITS:
        assert callable(getattr(CommandMethods, name))
        assert inspect.iscoroutinefunction(getattr(AsyncCommandMethods, name))
        assert inspect.signature(getattr(CommandMethods, name)) == inspect.signature(getattr(AsyncCommandMethods, name))


@pytest.mark.parametrize("name", TRAITS)
def test_a_method_sends_the_declared_parameters(name: str) -> None:
    recorder = Recorder()
    given = {each.name: f"<{each.name}>" for each in parameters_of(name)}
    getattr(recorder, name)(**given)
    declared, required = declared_parameters(name)
    sent = {sent: value for sent, value in recorder.sent.items() if sent != "cmd"}
    assert recorder.sent["cmd"] == name
    assert set(sent) == declared
    for wire, value in sent.items():
        own = re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", wire.rpartition(".")[2])
        assert value.rstrip("_>") == f"<{own}"
    assert recorder.key == given.get("idempotency_key")
    assert {each.name for each in parameters_of(name) if each.default is inspect.Parameter.empty} == {
        re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", each) for each in required
    }


@pytest.mark.parametrize("name", TRAITS)
def test_the_service_understands_each_method(name: str) -> None:
    with SvcClient(os.environ["SVC_SCRATCH_URL"], retries=0) as client:
        client.activate()
        method = getattr(client, name)
        needed = [each for each in parameters_of(name) if each.default is inspect.Parameter.empty]
        try:
            result = method(*(SAMPLES.get(each.name, "a") for each in needed), **NEEDED.get(name, {}))
        except SvcError as error:
            assert error.code not in NOT_UNDERSTOOD, error
            return
        finally:
            client.activate()
            client.drain("stop")
    assert_type(name, result)


def assert_type(name: str, result: Any) -> None:
    """Checks the kind of a result, and that objects have the members that their type requires."""
    hints = typing.get_type_hints(getattr(CommandMethods, name), vars(_results))
    wanted = hints["return"]
    if typing.get_origin(wanted) is typing.Union:
        return
    first = result[0] if isinstance(result, list) and result else result
    element = typing.get_args(wanted)[0] if typing.get_origin(wanted) is list else wanted
    if typing.get_origin(wanted) is list:
        assert isinstance(result, list)
    if hasattr(element, "__required_keys__") and isinstance(first, dict):
        assert set(element.__required_keys__) <= set(first)
    elif element in (bool, int, str):
        assert isinstance(first, element)
