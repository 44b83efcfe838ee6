"""The handling of requests and answers that both clients share. Sends nothing."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Union

from ._attempts import TOO_MANY_REQUESTS, Attempts, Lost, passing
from ._errors import SvcError
from ._exact import parse_exact

PAGE_SIZE = 1_000
BULK_KEYS = 1_000
#: Errors are objects. A preference, because services that do not know it ignore it.
PREFERENCES = "errors=object"
MEDIA_TYPES = {"csv": "text/csv", "ndjson": "application/x-ndjson"}
UNAUTHORIZED = 401
LOGIN = "authenticate"


class Request(NamedTuple):
    """A request of any command."""

    command: str
    body: Any
    #: How often it may be sent: any, keyed, once, or never: its body cannot be read again.
    repeats: str
    headers: Mapping[str, str]
    #: Parameters in the query string.
    query: Mapping[str, Any] = {}
    #: The response may be a stream instead of an envelope.
    streams: bool = False
    parse: Callable[[str], Any] = parse_exact
    #: Returns the failure in a response after which it is unknown whether all of the request was executed.
    unknown_of: Optional[Callable[[Any], Optional[SvcError]]] = None


class Answer(NamedTuple):
    """The answer to a request."""

    status: int
    headers: Mapping[str, str]
    text: str


class Envelope(NamedTuple):
    session_token: Optional[str]
    response: Any


class Wait(NamedTuple):
    """The request is sent again after a time in seconds."""

    seconds: float


class Renew(NamedTuple):
    """The request is sent again after a login."""


def query_of(parameters: Mapping[str, Any]) -> Dict[str, str]:
    """Returns the parameters of a query string. Raises a TypeError that names one that it cannot represent."""
    sent = {**parameters, "httpStatus": True}
    return {name: _query_text(name, value) for name, value in sent.items() if value is not None}


def _query_text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ",".join(_query_text(name, each) for each in value)
    if isinstance(value, (str, int, float, Decimal)):
        return str(value)
    raise TypeError(f"{name}: a {type(value).__name__} is no text, number, boolean or list of them")


def media_type(format: str) -> str:
    """Returns the media type of a format of rows. Raises ValueError."""
    if format not in MEDIA_TYPES:
        raise ValueError(f"format must be csv or ndjson, got {format!r}")
    return MEDIA_TYPES[format]


def is_stream(status: int, headers: Mapping[str, str]) -> bool:
    """Reports whether a response is a stream: failures are envelopes."""
    return status == 200 and not headers.get("content-type", "application/json").startswith("application/json")


class Exchange:
    """Decides after each attempt of a request what to do next."""

    def __init__(self, request: Request, attempts: Attempts, can_renew: bool) -> None:
        self._request = request
        self._attempts = attempts
        self._can_renew = can_renew and request.repeats != "never"

    def after(self, outcome: Union[Answer, Lost], url: str) -> Union[Envelope, Wait, Renew]:
        """Returns the envelope of a success, or what to do next. Raises the failure if it is final."""
        command, repeats = self._request.command, self._request.repeats
        failure: Exception
        asked = 0.0
        if isinstance(outcome, Answer):
            try:
                envelope = read_envelope(outcome, command, self._request.parse)
                unknown = None if self._request.unknown_of is None else self._request.unknown_of(envelope.response)
                if unknown is None:
                    return envelope
                raise unknown
            except SvcError as error:
                failure, may = error, passing(error)
            if outcome.status == UNAUTHORIZED and self._can_renew:
                self._can_renew = False
                return Renew()
            # The service delays guessers, and waiting does not make a password right.
            if command == LOGIN and outcome.status == TOO_MANY_REQUESTS:
                raise failure
            asked = _seconds(outcome.headers.get("retry-after", ""))
        else:
            failure, may = outcome
        is_safe = repeats in ("any", "keyed")
        if may is None or repeats == "never" or (may.is_unknown and not is_safe):
            raise failure
        seconds = self._attempts.next(failure, may, url, asked)
        if seconds is None:
            raise failure
        return Wait(seconds)


def _seconds(text: str) -> float:
    return float(text) if text.isdigit() else 0.0


def read_envelope(answer: Answer, command: str, parse: Callable[[str], Any] = parse_exact) -> Envelope:
    """Returns the envelope of a success. Raises SvcError."""
    status, headers, text = answer
    try:
        envelope = parse(text)
    except ValueError:
        envelope = None
    success = envelope.get("successStatus") if isinstance(envelope, dict) else None
    if not isinstance(envelope, dict) or not isinstance(success, int):
        # A proxy answered, for example.
        raise SvcError(f"No envelope, but {text[:200]}", command=command, http=status)
    if 200 <= status < 300 and success == 0:
        return Envelope(envelope.get("sessionToken"), envelope.get("response"))
    error = envelope.get("error")
    details = error if isinstance(error, dict) else {"code": headers.get("error-code")}
    message = error.get("message") if isinstance(error, dict) else error
    raise SvcError(
        str(message or ""),
        command=command,
        http=status,
        success_status=success,
        response=envelope.get("response"),
        details=details,
    )
