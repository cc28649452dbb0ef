"""The site as its readers use it: by keyboard, without script, printed."""

from typing import Any

import pytest

from tests.people import PASSWORD, member

pytestmark = pytest.mark.browser
LIGER = "/runs/sha256:e623e9242d413ecb009420593bdc959332909ee286c0e13ed1a7f98117891b24/"


def test_from_a_blank_search_to_a_citation_by_keyboard(watch: Any) -> None:
    watched = watch()
    watched.visit("/")
    page = watched.page
    page.locator("#q").focus()
    page.keyboard.type("relu squared H100")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/**")
    link = page.get_by_role("link", name="ReLU squared, backward pass").first
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/groups/**")
    page.get_by_role("link", name="PyTorch").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/**")
    summary = page.locator("#cite summary", has_text="@misc")
    summary.focus()
    page.keyboard.press("Enter")
    assert page.locator("#cite-bibtex").is_visible()
    assert "@misc{" in page.locator("#cite-bibtex").inner_text()
    assert watched.complaints == []


def test_everything_is_there_without_script(watch: Any) -> None:
    watched = watch(java_script_enabled=False)
    watched.visit(LIGER)
    page = watched.page
    assert page.locator("button.copy").first.is_hidden()
    page.locator("#manifest summary").click()
    assert '"primaryStatistic": "median"' in page.locator("#manifest-text").inner_text()
    assert page.locator("table.runs").first.locator("tbody tr").count() == 2


def test_the_copy_button_copies_the_whole_digest(watch: Any) -> None:
    watched = watch(permissions=["clipboard-read", "clipboard-write"])
    watched.visit(LIGER)
    watched.page.locator("button.copy").first.click()
    copied = watched.page.evaluate("navigator.clipboard.readText()")
    assert copied == LIGER.removeprefix("/runs/").rstrip("/")


@pytest.mark.parametrize(
    ("zone", "day", "query"),
    [
        ("UTC", (2026, 3, 1), ""),
        ("Pacific/Kiritimati", (2026, 3, 2), "?accessed=2026-03-02"),
        ("Pacific/Pago_Pago", (2026, 2, 28), "?accessed=2026-02-28"),
    ],
)
def test_citations_say_the_day_on_which_their_reader_reads_them(
    watch: Any, zone: str, day: tuple[int, int, int], query: str
) -> None:
    """Half past ten in UTC: Kiritimati is fourteen hours ahead, Pago Pago eleven behind."""
    watched = watch(timezone_id=zone, permissions=["clipboard-read", "clipboard-write"])
    page = watched.page
    page.clock.set_fixed_time("2026-03-01T10:30:00Z")
    watched.visit(LIGER)
    year, month, of_month = day
    dashed, slashed = f"{year}-{month:02}-{of_month:02}", f"{year}/{month:02}/{of_month:02}"
    assert page.locator("[data-accessed]").all_text_contents() == [
        *[dashed] * 4, f"{year}, {month}, {of_month}", slashed,
    ]  # fmt: skip
    files = page.locator("a[data-accessed-file]")
    assert [link.get_attribute("href").partition(".txt")[2] for link in files.all()[:2]] == [query, query]
    assert files.count() == 6
    page.locator("button[data-copy-from=cite-text]").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.endswith(f"(accessed {dashed}).")
    assert "reported, not rerun by KernelIndex" in copied
    page.locator("#cite summary", has_text="RIS").click()
    page.locator("button[data-copy-from=cite-ris]").click()
    assert f"\nY2  - {slashed}\n" in page.evaluate("navigator.clipboard.readText()").replace("\r", "")
    assert watched.complaints == []


def test_a_printed_run_shows_its_manifest_and_no_navigation(watch: Any) -> None:
    watched = watch()
    watched.visit(LIGER)
    watched.page.emulate_media(media="print")
    assert watched.page.locator(".site-nav").is_hidden()
    assert watched.page.locator(".site-search").is_hidden()


def test_staff_sign_in_by_the_one_door_and_are_led_to_a_second_factor(watch: Any) -> None:
    member("curator", is_superuser=True)
    watched = watch()
    watched.visit("/admin/")
    page = watched.page
    assert "/accounts/login/" in page.url
    page.locator("input[name=login]").fill("curator@example.org")
    page.locator("input[name=password]").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/accounts/2fa/totp/activate/")
    assert page.get_by_text("The staff pages need a second factor").is_visible()
    page.goto(f"{watched.origin}/admin/registry/run/")
    assert "/accounts/2fa/totp/activate/" in page.url
    assert watched.complaints == []
