"""Failures that the service reports."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class SvcError(Exception):
    """A failure reported by the service. Its text says what went wrong.

    Attributes:
        code: The code of the error; None if something else than the service answered, such as a proxy.
        parameter: The parameter that the error is about.
        position: The character of the statement, from 1.
        remedy: What to do instead.
        documentation: Path of the page of the service that explains the error.
        http: The HTTP status.
        success_status: 1 failure; 2 authorization failure; 3 security check failure.
        command: The command that failed.
        response: What had been done before the failure, if the command reports it, as an import does.
    """

    def __init__(
        self,
        message: str,
        *,
        command: str,
        http: int,
        success_status: int = 1,
        response: Any = None,
        details: Optional[Mapping[str, Any]] = None,
    ) -> None:
        super().__init__(message)
        given = details or {}
        self.command = command
        self.http = http
        self.success_status = success_status
        self.response = response
        self.code = _text(given.get("code"))
        self.parameter = _text(given.get("parameter"))
        position = given.get("position")
        self.position: Optional[int] = position if isinstance(position, int) else None
        self.remedy = _text(given.get("remedy"))
        self.documentation = _text(given.get("documentation"))

    @property
    def message(self) -> str:
        """What went wrong."""
        return str(self.args[0])


def _text(value: object) -> Optional[str]:
    return value if isinstance(value, str) else None
