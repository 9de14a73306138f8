"""A real browser for the documentation, too."""

import pytest
from browsing import session

browser = pytest.fixture(scope="session")(session)
