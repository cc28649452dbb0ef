"""On what a claim rests, by tables."""

from datetime import datetime, timedelta

import pytest

from attestations.core import claims
from attestations.core.claims import Place
from tests.conftest import NOW

RAW = "https://raw.githubusercontent.com/Acme/kernels/HEAD/.well-known/kernelindex-claim.txt"
ON_GITHUB = Place("github.com/acme/kernels", "Acme", RAW, ("raw.githubusercontent.com",))
OWN_SITE = Place(
    "acme.example.org", None, "https://acme.example.org/.well-known/kernelindex-claim.txt",
    ("acme.example.org", "www.acme.example.org"),
)  # fmt: skip


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/Acme/kernels",
        "https://github.com/Acme/kernels/",
        "https://github.com/Acme/kernels.git",
        "https://www.github.com/Acme/kernels",
        "https://github.com/Acme/kernels/tree/main/bench?x=1#readme",
        "https://raw.githubusercontent.com/Acme/kernels/main/data/all.csv",
    ],
)
def test_a_repository_on_github_is_read_from_its_address(url: str) -> None:
    assert claims.places_of_project(url) == (ON_GITHUB,)


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        "http://github.com/Acme/kernels",
        "https://github.com/Acme",
        "https://github.com/Acme/..",
        "https://github.com/Acme/.git",
        "https://github.com/-acme/kernels",
        "https://github.com/acme/ker%2Fnels",
        "https://github.com.example.org/Acme/kernels",
        "https://github.com@example.org/Acme/kernels",
        "https://gitlab.com/Acme/kernels",
        "https://example.org/?https://github.com/Acme/kernels",
        " https://github.com/Acme/kernels",
        "https://github.com/Acme/kernels\nx",
    ],
)
def test_what_is_no_repository_on_github_has_no_place(url: str | None) -> None:
    assert claims.places_of_project(url) == ()


@pytest.mark.parametrize(
    ("kind", "slug", "homepage", "location", "expected"),
    [
        ("benchmark", "acme", "https://github.com/Acme/kernels", "", (ON_GITHUB,)),
        ("benchmark", "acme", "", "https://raw.githubusercontent.com/Acme/kernels/main/a.csv", (ON_GITHUB,)),
        ("benchmark", "acme", "https://acme.example.org/board", "https://github.com/Acme/kernels",
         (ON_GITHUB, OWN_SITE)),
        ("benchmark", "acme", "https://acme.example.org/board", "", (OWN_SITE,)),
        ("benchmark", "acme", "http://acme.example.org/", "", ()),
        ("benchmark", "acme", "https://10.0.0.1/", "", ()),
        ("benchmark", "acme", "", "", ()),
        ("channel", "acme", "https://acme.example.org/", "", ()),
        ("community", "acme", "https://github.com/Acme/kernels", "", ()),
        ("benchmark", "kernelindex", "https://acme.example.org/", "", ()),
        ("benchmark", "demonstration", "https://acme.example.org/", "", ()),
    ],
)  # fmt: skip
def test_the_places_of_a_source(kind: str, slug: str, homepage: str, location: str, expected: tuple[Place]) -> None:
    assert claims.places_of_source(kind, slug, homepage, location) == expected


@pytest.mark.parametrize(
    ("logins", "expected"),
    [(["acme"], ON_GITHUB), (["other", "ACME"], ON_GITHUB), (["acme-inc"], None), ([], None), ([""], None)],
)
def test_an_owner_is_known_by_the_login_whatever_its_case(logins: list[str], expected: Place | None) -> None:
    assert claims.is_owner(logins, [OWN_SITE, ON_GITHUB]) == expected


@pytest.mark.parametrize(
    ("basis", "places", "expected"),
    [
        ("", (), True),
        ("github.com/acme/kernels", (ON_GITHUB,), True),
        ("github.com/acme/kernels", (OWN_SITE,), False),
        ("github.com/acme/kernels", (), False),
        ("github.com/acme", (ON_GITHUB,), False),
    ],
)
def test_a_grant_holds_while_its_basis_is_named(basis: str, places: tuple[Place], expected: bool) -> None:
    assert claims.is_standing(basis, places) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kernelindex-claim-1", True),
        ("# who speaks\r\n  kernelindex-claim-1\t\r\nkernelindex-claim-2\n", True),
        ("kernelindex-claim-12", False),
        ("my token is kernelindex-claim-1", False),
        ("", False),
    ],
)
def test_a_file_holds_a_token_on_a_line_of_its_own(text: str, expected: bool) -> None:
    assert claims.holds_token(text, "kernelindex-claim-1") is expected


@pytest.mark.parametrize(
    ("before_minutes", "expected_minutes"),
    [(None, 2), (0, 2), (2, 4), (4, 8), (16, 32), (30, 60), (31, None), (119, None), (120, 2), (5000, 2)],
)
def test_pauses_between_checks_double_up_to_an_hour(before_minutes: int | None, expected_minutes: int | None) -> None:
    before: datetime | None = None if before_minutes is None else NOW - timedelta(minutes=before_minutes)
    expected = None if expected_minutes is None else timedelta(minutes=expected_minutes)
    assert claims.pause_after(before, NOW) == expected
