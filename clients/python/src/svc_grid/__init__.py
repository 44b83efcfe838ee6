"""Client of svc, a durable data grid with an HTTP API: a method for each command, exact numbers, safe retries.

`SvcClient` has blocking methods, `AsyncSvcClient` asynchronous ones for asyncio.
"""

from __future__ import annotations

from ._async_client import AsyncSvcClient
from ._client import SvcClient
from ._errors import SvcError
from ._feed import Change
from ._settings import ScannedEntry
from ._version import __version__

__all__ = ["AsyncSvcClient", "Change", "ScannedEntry", "SvcClient", "SvcError", "__version__"]
