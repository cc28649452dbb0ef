"""Headless Chromium over the live site, and an eye on everything that it must not do."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.management import call_command
from playwright.sync_api import Browser, Page, Request

from registry import syncs
from tests.conftest import NOW
from tests.people import signed_in

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # playwright's loop runs beside Django's synchronous ORM
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    return {"executable_path": "/usr/bin/chromium", "args": ARGUMENTS}


@pytest.fixture(scope="session", autouse=True)
def static_root() -> None:
    """The live server starts before any test's settings; it warns where nothing has been collected yet."""
    Path(settings.STATIC_ROOT).mkdir(parents=True, exist_ok=True)


@dataclass
class Watched:
    """A page, and what it said or asked for that it should not have."""

    page: Page
    origin: str
    complaints: list[str] = field(default_factory=list)

    def visit(self, path: str) -> None:
        response = self.page.goto(f"{self.origin}{path}")
        assert response is not None
        assert response.status < 500, path

    def scrolls_sideways(self, width: int) -> bool:
        self.page.set_viewport_size({"width": width, "height": 900})
        return bool(self.page.evaluate("document.documentElement.scrollWidth") > width)

    def hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"console {message.type}: {message.text}")

    def see(self, request: Request) -> None:
        if not request.url.startswith((self.origin, "data:")):
            self.complaints.append(f"off-origin request: {request.url}")


@pytest.fixture
def site(transactional_db: None, live_server: Any) -> str:
    """The live site with the bundled registry in it."""
    call_command("createcachetable", verbosity=0)
    cache.clear()  # the counts of another test's tries
    syncs.load_demo(now=NOW)
    return str(live_server.url)


@pytest.fixture
def watch(browser: Browser, site: str) -> Iterator[Any]:
    """Open watched pages of a given width and colour scheme, signed in where an account is given."""
    contexts = []

    def open_page(width: int = 1280, scheme: str = "light", of: Any = None, **options: Any) -> Watched:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            **options,  # type: ignore[arg-type]
        )
        contexts.append(context)
        if of is not None:  # an account: its session, in which staff have used their second factor
            session = signed_in(of).cookies[settings.SESSION_COOKIE_NAME].value
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": site}])
        watched = Watched(context.new_page(), site)
        watched.page.on("console", watched.hear)
        watched.page.on("request", watched.see)
        watched.page.on("pageerror", lambda error: watched.complaints.append(f"script error: {error}"))
        return watched

    yield open_page
    for context in contexts:
        context.close()
