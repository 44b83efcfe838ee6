"""The pytest fixtures of the package: `svc_service` is a service, reset before each test."""

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
    """More arguments of `TestService`: `args`, `command`, `client`. Replace it in conftest.py."""
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
