"""The fixtures of pytest that the package brings: `svc_service` is a service for a test, reset before each."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Sequence

import pytest

from .testing import Fixture, TestService


@pytest.fixture(scope="session")
def svc_fixtures() -> Sequence[Fixture]:
    """What the service contains when a test begins. Replace it in conftest.py."""
    return ()


@pytest.fixture(scope="session")
def svc_options() -> Dict[str, Any]:
    """Further arguments of `TestService`: `args`, `command`, `client`. Replace it in conftest.py."""
    return {}


@pytest.fixture(scope="session")
def _svc_session_service(svc_fixtures: Sequence[Fixture], svc_options: Dict[str, Any]) -> Iterator[TestService]:
    with TestService(fixtures=svc_fixtures, **svc_options) as service:
        yield service


@pytest.fixture
def svc_service(_svc_session_service: TestService) -> TestService:
    """The service of this session, with the contents of its fixtures."""
    _svc_session_service.reset()
    return _svc_session_service
