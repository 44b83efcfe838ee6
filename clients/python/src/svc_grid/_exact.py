"""JSON whose numbers keep all their digits and their scale."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Any, Callable, Mapping

#: The type of decimals, of which columns have the same name.
DECIMAL = "java.math.BigDecimal"

#: A scale that the service never writes of a double: 1.50, 1E-7, 1.5E+9, but not 1.0.
_SCALE = re.compile(r"\.\d+0(?!\d)|^-?\d+E|E\+")


class Number(str):
    """A number that is not whole, as the service sent it."""


def parse_as_sent(text: str) -> Any:
    """Parses a JSON text; a number that is not whole becomes a Number. Raises ValueError."""
    return json.loads(text, parse_float=Number)


def parse_exact(text: str) -> Any:
    """Parses a JSON text; a number that a double would change becomes a Decimal. Raises ValueError."""
    return json.loads(text, parse_float=_exact_number)


def exact(value: Any) -> Any:
    """Converts a result of parse_as_sent to what parse_exact would return."""
    return _replaced(value, _exact_number)


def decimals(value: Any) -> Any:
    """Returns a value of a decimal column: all its numbers are Decimal."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Decimal(value)
    return _replaced(value, Decimal)


def _replaced(value: Any, convert: Callable[[str], Any]) -> Any:
    if isinstance(value, Number):
        return convert(value)
    if isinstance(value, list):
        return [_replaced(each, convert) for each in value]
    if isinstance(value, dict):
        return {name: _replaced(member, convert) for name, member in value.items()}
    return value


def _exact_number(text: str) -> Any:
    number = float(text)
    if math.isfinite(number) and not _SCALE.search(text) and Decimal(repr(number)) == Decimal(text):
        return number
    return Decimal(text)


def write_exact(value: Any) -> str:
    """Writes a JSON text. Raises TypeError for values that JSON cannot represent."""
    if value is None or isinstance(value, (bool, int, str)):
        return json.dumps(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise TypeError(f"JSON has no {value}")
        return repr(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise TypeError(f"JSON has no {value}")
        return str(value)
    if isinstance(value, Mapping):
        members = (f"{json.dumps(str(name))}:{write_exact(each)}" for name, each in value.items())
        return "{" + ",".join(members) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(write_exact, value)) + "]"
    raise TypeError(f"JSON has no {type(value).__name__}")
