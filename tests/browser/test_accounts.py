"""The pages of an account in a browser: accessible, within the policy, in the width of a phone; and the way in."""

import time
from typing import Any

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from axe_playwright_python.sync_playwright import Axe

from tests.people import PASSWORD, member

pytestmark = pytest.mark.browser
PAGES = {
    "own page": "/me/",
    "leave": "/me/delete/",
    "addresses": "/accounts/email/",
    "password": "/accounts/password/change/",
    "factor, none": "/accounts/2fa/",
    "factor, setting up": "/accounts/2fa/totp/activate/",
    "sessions": "/accounts/sessions/",
    "other sign-ins": "/accounts/3rdparty/",
    "sign out": "/accounts/logout/",
    "asked again": "/accounts/reauthenticate/?next=/me/",
}
WITH_A_FACTOR = {
    "factor": "/accounts/2fa/",
    "recovery codes": "/accounts/2fa/recovery-codes/",
    "new recovery codes": "/accounts/2fa/recovery-codes/generate/",
    "factor, taking away": "/accounts/2fa/totp/deactivate/",
    "asked again, code": "/accounts/2fa/reauthenticate/?next=/me/",
}
REFUSED = ("/me/", "[name=handle]", "x", "The name was not saved.")


def faults(watched: Any, kinds: dict[str, str]) -> list[str]:
    found = []
    for kind, path in kinds.items():
        watched.visit(path)
        found += looked_at(watched, kind)
    return found


def looked_at(watched: Any, kind: str) -> list[str]:
    found = []
    for width in (360, 1280):
        if watched.scrolls_sideways(width):
            found.append(f"{kind}: scrolls sideways at {width} px")
        found += [f"{kind}, {width}: {v['id']}" for v in Axe().run(watched.page).response["violations"]]
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_of_an_account_is_accessible_and_keeps_to_itself(watch: Any, scheme: str) -> None:
    plain, guarded = member("reader"), member("a-rather-long-public-name-of-40-letters-")
    TOTP.activate(guarded, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    RecoveryCodes.activate(guarded)
    for user, kinds in ((plain, PAGES), (guarded, WITH_A_FACTOR)):
        watched = watch(scheme=scheme, of=user)
        assert faults(watched, kinds) == []
        if user is plain:
            path, field, text, words = REFUSED
            watched.visit(path)
            watched.page.locator(field).fill(text)
            watched.page.locator("main button.primary").first.click()
            watched.page.get_by_text(words).wait_for()
            assert watched.page.evaluate("document.activeElement.hasAttribute('data-error-summary')")
            assert looked_at(watched, "refused") == []
        assert watched.complaints == []


def test_staff_set_a_factor_up_at_their_first_sign_in_and_are_let_in(watch: Any) -> None:
    member("root", is_superuser=True)
    watched = watch()
    page = watched.page
    watched.visit("/admin/registry/run/")
    page.locator("[name=login]").fill("root@example.org")
    page.locator("[name=password]").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Set up an authenticator app").wait_for()
    assert page.evaluate("document.querySelector('.qr img').naturalWidth") > 0
    secret = page.locator("#secret").inner_text()
    page.locator("[name=code]").fill(format_hotp_value(hotp_value(secret, int(time.time()) // 30)))
    page.get_by_role("button", name="Turn it on").click()
    page.get_by_role("heading", name="Recovery codes").wait_for()
    assert len(page.locator("#codes").inner_text().split()) == 10
    page.get_by_role("link", name="I have kept them").click()
    page.wait_for_url("**/admin/registry/run/")
    assert page.locator("#content h1").is_visible()
    assert watched.complaints == []
