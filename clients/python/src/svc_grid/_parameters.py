"""Converts command parameters to the form in which they are sent: with types, and in parts."""

from __future__ import annotations

import base64
import datetime
import json
import re
import uuid
from decimal import Decimal
from typing import Any, Dict, List, Mapping, Optional

from ._exact import DECIMAL, write_exact

_TYPED_BY = {"key": "keyType", "keys": "keyType", "val": "valueType", "val2": "valueType", "values": "valueType"}


def with_types(parameters: Mapping[str, Any]) -> Dict[str, Any]:
    """Adds the types of keys and values that the caller has left out, derived from the Python values."""
    sent = {name: value for name, value in parameters.items() if value is not None}
    types: Dict[str, str] = {}
    for name, value in sent.items():
        typed_by = _TYPED_BY.get(name)
        if typed_by is None or typed_by in sent:
            continue
        is_list = name in ("keys", "values") and isinstance(value, (list, tuple))
        for each in value if is_list else [value]:
            own = _type_name(each) or (_object_type(each) if typed_by == "valueType" else None)
            if own is not None and types.setdefault(typed_by, own) != own:
                raise TypeError(f"{name} has values of several types")
    sent.update(types)
    if isinstance(sent.get("args"), (list, tuple)):
        for at, each in enumerate(sent["args"]):
            if isinstance(each, _TEXTS):
                sent.setdefault(f"arg{at + 1}Type", _type_name(each))
    for name in (*_TYPED_BY, "args"):
        if name in sent:
            sent[name] = _as_texts(sent[name], name in ("keys", "values", "args"))
    return {name: value for name, value in sent.items() if not (name in ("keyType", "valueType") and value == "string")}


def in_reference_case(parameters: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns parameters with the names of the reference: `on_duplicate` is `onDuplicate`, and `from_` is `from`."""
    return {
        re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name.rstrip("_")): value
        for name, value in parameters.items()
    }


def written(parameters: Mapping[str, Any]) -> str:
    """Writes parameters as a JSON text. Raises a TypeError that names one that JSON cannot represent."""
    members: List[str] = []
    for name, value in parameters.items():
        try:
            members.append(f"{json.dumps(name)}:{write_exact(value)}")
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
    return "{" + ",".join(members) + "}"


#: Values that JSON has no form of: they are sent as texts, with their type.
_TEXTS = (datetime.date, datetime.time, uuid.UUID, bytes, bytearray)


def _as_texts(value: Any, is_list: bool) -> Any:
    """Replaces such a value, or those in a list of keys, values or arguments, by texts."""
    if is_list and isinstance(value, (list, tuple)):
        return [_text(each) if isinstance(each, _TEXTS) else each for each in value]
    return _text(value) if isinstance(value, _TEXTS) else value


def _text(value: Any) -> str:
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    return str(value) if isinstance(value, uuid.UUID) else str(value.isoformat())


def _type_name(value: object) -> Optional[str]:
    if isinstance(value, str):
        return "string"
    if isinstance(value, datetime.date):
        return "timestamp" if isinstance(value, datetime.datetime) else "date"
    if isinstance(value, datetime.time):
        return "time"
    if isinstance(value, uuid.UUID):
        return "uuid"
    if isinstance(value, (bytes, bytearray)):
        return "[B"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "long"
    if isinstance(value, float):
        return "double"
    return DECIMAL if isinstance(value, Decimal) else None


def _object_type(value: object) -> Optional[str]:
    if isinstance(value, Mapping):
        return "map"
    return "list" if isinstance(value, (list, tuple)) else None


def split(parameters: Mapping[str, Any], bulk_keys: int) -> List[Mapping[str, Any]]:
    """Splits a request with more keys than one request may have."""
    keys, values = parameters.get("keys"), parameters.get("values")
    if not isinstance(keys, (list, tuple)) or len(keys) <= bulk_keys:
        return [parameters]
    # The service would reject it, but it sees only one part at a time.
    if values is not None and len(values) != len(keys):
        raise TypeError(f"keys and values differ in number: {len(keys)} and {len(values)}")
    parts: List[Mapping[str, Any]] = []
    for start in range(0, len(keys), bulk_keys):
        end = start + bulk_keys
        part = {**parameters, "keys": keys[start:end]}
        parts.append(part if values is None else {**part, "values": values[start:end]})
    return parts


def merged(responses: List[Any]) -> Any:
    """Merges the responses of the parts: lists and dicts are joined, and of True and False, False wins."""
    first = responses[0]
    if len(responses) == 1:
        return first
    if isinstance(first, list):
        return [each for response in responses for each in response]
    if isinstance(first, dict):
        return {name: value for response in responses for name, value in response.items()}
    return first if all(response == first for response in responses) else False
