"""Collects the calls for single keys of one tick of the event loop, which the client sends as one batch."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Awaitable, Callable, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, Union

from ._attempts import passing
from ._errors import SvcError
from ._exchange import UNAUTHORIZED, Request
from ._parameters import with_types, written
from ._results import ERROR_STATUSES, TRAITS
from ._settings import Settings

#: A quarter of what services accept by default, in commands and in characters: their answers begin earlier.
BATCH_CALLS = 250
BATCH_CHARACTERS = 1_048_576
INTERNAL = 500

#: With these, a service rejects a batch before it executes anything of it.
_REJECTIONS = frozenset(
    [
        "BATCH_COMMAND",
        "BODY_TOO_LARGE",
        "COMMAND_UNKNOWN",
        "IDEMPOTENCY_UNSUPPORTED",
        "LIMIT_EXCEEDED",
        "NOT_SUPPORTED",
        "PERMISSION_DENIED",
        "REQUEST_MALFORMED",
    ]
)
#: Parameters that say something of the request as a whole, or that a batch has no place for.
_ALONE = frozenset(["destId"])


class BatchedCall(NamedTuple):
    """A call that waits for its result."""

    command: str
    parameters: Mapping[str, Any]
    #: The parameters as a JSON object, which is not empty.
    body: str
    #: The text of its key; None if other texts may be the same key.
    key: Optional[str]
    result: "asyncio.Future[Any]"

    def settle(self, response: Any) -> None:
        # The waiting task may have been cancelled.
        if not self.result.done():
            self.result.set_result(response)

    def fail(self, error: Exception) -> None:
        if not self.result.done():
            self.result.set_exception(error)


class Batching:
    """Sends the calls of one tick together, reads of keys that none of them changes apart from the others.

    Args:
        settings: Those of the client.
        send: Sends a request and returns its response.
    """

    def __init__(self, settings: Settings, send: Callable[[Request], Awaitable[Any]]) -> None:
        self._settings = settings
        self._send = send
        self._calls: List[BatchedCall] = []
        # The calls of each lane that wait for the previous batch. Without that, callers would split into ever smaller
        # groups.
        self._reads: List[BatchedCall] = []
        self._others: List[BatchedCall] = []
        self._busy: Set[int] = set()
        self._tasks: Set["asyncio.Task[None]"] = set()
        # The service has rejected a batch as a whole.
        self._is_rejected = False

    def takes(self, command: str, parameters: Mapping[str, Any], idempotency_key: Optional[str]) -> bool:
        """Reports whether a call may share a request."""
        traits = TRAITS.get(command)
        if traits is None or not traits.batched or idempotency_key is not None or self._is_rejected:
            return False
        return not any(parameters.get(name) is not None for name in _ALONE)

    async def call(self, command: str, parameters: Mapping[str, Any]) -> Any:
        """Sends a call with the others of this tick, after earlier calls for the same key."""
        key, key_type = parameters.get("key"), parameters.get("keyType")
        is_plain = key_type is None and isinstance(key, (str, int, float))
        loop = asyncio.get_running_loop()
        result: "asyncio.Future[Any]" = loop.create_future()
        body = written(with_types(parameters))
        self._calls.append(BatchedCall(command, parameters, body, _text_of(key) if is_plain else None, result))
        if len(self._calls) == 1:
            loop.call_soon(self._send_all)
        return await result

    def _send_all(self) -> None:
        calls, self._calls = self._calls, []
        reads, others = independent(calls)
        self._send_in_order(self._reads, reads)
        self._send_in_order(self._others, others)

    def _send_in_order(self, lane: List[BatchedCall], calls: Sequence[BatchedCall]) -> None:
        lane.extend(calls)
        if lane and id(lane) not in self._busy:
            self._busy.add(id(lane))
            task = asyncio.get_running_loop().create_task(self._empty(lane))
            # The event loop keeps only weak references.
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _empty(self, lane: List[BatchedCall]) -> None:
        try:
            while lane:
                waiting = list(lane)
                lane.clear()
                for batch in batches_of(waiting):
                    await self._settle(batch)
        finally:
            self._busy.discard(id(lane))

    async def _settle(self, calls: List[BatchedCall]) -> None:
        left = calls if len(calls) == 1 else await self._send_together(calls)
        # One after another, which keeps their order.
        for call in left:
            try:
                call.settle(await self._send(self._settings.request(call.command, call.parameters)))
            except Exception as error:
                call.fail(error)

    async def _send_together(self, calls: List[BatchedCall]) -> List[BatchedCall]:
        """Settles calls with the results of one batch. Returns those that must still be sent individually."""
        request = self._settings.whole("batch", batch_body(calls), _repeats_of(calls))
        if request.repeats == "keyed":
            # Reads have no unknown outcome.
            request = request._replace(unknown_of=lambda response: unknown_in(response, calls))
        try:
            results = results_in(await self._send(request))
        except Exception as error:
            if isinstance(error, SvcError) and _is_batch_rejected(error):
                # The service may have lower limits, for example: other batches would be rejected as well.
                self._is_rejected = True
                return calls
            for call in calls:
                call.fail(_of_call(error, call.command) if isinstance(error, SvcError) else error)
            return []
        left: List[BatchedCall] = []
        # The batch may have ended before the last calls ran.
        results += [None] * (len(calls) - len(results))
        for call, result in zip(calls, results):
            outcome = outcome_of_call(result, call, self._settings.user is not None)
            if isinstance(outcome, Alone):
                left.append(call)
            elif isinstance(outcome, SvcError):
                call.fail(outcome)
            else:
                call.settle(outcome[0])
        return left


def _text_of(key: Any) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)


def independent(calls: Sequence[BatchedCall]) -> Tuple[List[BatchedCall], List[BatchedCall]]:
    """Returns reads of keys that no other call changes, and the rest.

    Changes without reads between them share a commit, and the reads do not wait for it.
    """
    changed = {call.key for call in calls if not _is_read(call)}
    if not changed:
        return list(calls), []
    if any(call.key is None for call in calls):
        return [], list(calls)
    reads = [call for call in calls if _is_read(call) and call.key not in changed]
    return reads, [call for call in calls if not (_is_read(call) and call.key not in changed)]


def batches_of(calls: Sequence[BatchedCall]) -> List[List[BatchedCall]]:
    """Splits calls, in order, into batches that a service accepts."""
    batches: List[List[BatchedCall]] = []
    characters = 0
    for call in calls:
        characters += len(call.body)
        if not batches or len(batches[-1]) == BATCH_CALLS or characters > BATCH_CHARACTERS:
            batches.append([call])
            characters = len(call.body)
        else:
            batches[-1].append(call)
    return batches


def batch_body(calls: Sequence[BatchedCall]) -> str:
    """Writes the commands of calls as the body of a batch."""
    commands = (f'{{"cmd":{json.dumps(call.command)},{call.body[1:]}' for call in calls)
    return '{"commands":[' + ",".join(commands) + "]}"


def _repeats_of(calls: Sequence[BatchedCall]) -> str:
    """Returns how often the batch of calls may be sent."""
    return "any" if all(_is_read(call) for call in calls) else "keyed"


def _is_batch_rejected(error: SvcError) -> bool:
    """Reports whether a batch was rejected as a whole, so its commands may be sent individually."""
    return error.http != 200 and error.code in _REJECTIONS


def results_in(response: Any) -> List[Any]:
    """Returns the results of a batch: envelopes of the commands that were executed."""
    return list(response) if isinstance(response, list) else []


class Alone(NamedTuple):
    """The call is sent individually: it was certainly not executed."""


def outcome_of_call(result: Any, call: BatchedCall, has_user: bool) -> Union[Alone, SvcError, Tuple[Any]]:
    """Returns a call's response in a tuple, its failure, or a marker that it is to be sent individually."""
    # The batch ended before the call ran.
    if not isinstance(result, dict):
        return Alone()
    failure = _failure_in(result, call.command)
    if failure is None:
        return (result.get("response"),)
    is_read, may = _is_read(call), passing(failure)
    if may is not None and (is_read or not may.is_unknown):
        return Alone()
    if failure.http == UNAUTHORIZED and has_user:
        return Alone()
    # The limit may be the batch's, not the call's.
    if failure.code == "LIMIT_EXCEEDED" and is_read:
        return Alone()
    return failure


def unknown_in(response: Any, calls: Sequence[BatchedCall]) -> Optional[SvcError]:
    """Returns the first failure after which a change may have been made: only the batch's key makes its retry safe."""
    for call, result in zip(calls, results_in(response)):
        failure = None if _is_read(call) or not isinstance(result, dict) else _failure_in(result, call.command)
        may = None if failure is None else passing(failure)
        if may is not None and may.is_unknown:
            return failure
    return None


def _of_call(error: SvcError, command: str) -> SvcError:
    """Converts a batch's failure to the failure of one of its calls."""
    details = {"code": error.code, "parameter": error.parameter, "position": error.position}
    details.update({"remedy": error.remedy, "documentation": error.documentation})
    return SvcError(
        error.message,
        command=command,
        http=error.http,
        success_status=error.success_status,
        response=error.response,
        details=details,
    )


def _is_read(call: BatchedCall) -> bool:
    return TRAITS[call.command].repeats == "any"


def _failure_in(result: Mapping[str, Any], command: str) -> Optional[SvcError]:
    success = result.get("successStatus")
    code = result.get("errorCode")
    if result.get("responseOmitted") is True:
        message = "The change was made, but its response was omitted from that of the batch"
        return SvcError(message, command=command, http=INTERNAL, details={"code": code})
    if success == 0:
        return None
    error = result.get("error")
    details = error if isinstance(error, dict) else {"code": code}
    text = error.get("message") if isinstance(error, dict) else error
    return SvcError(
        str(text or ""),
        command=command,
        http=ERROR_STATUSES.get(str(details.get("code")), INTERNAL),
        success_status=success if isinstance(success, int) else 1,
        response=result.get("response"),
        details=details,
    )
