"""Pages by keyset: together they are the whole list, whatever the ties; a cursor is good for its own list alone."""

import json
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.core import signing
from django.db.models import QuerySet

from registry.models import AuditEvent
from registry.queries import keyset

START = datetime(2026, 7, 1, tzinfo=UTC)
ORDERS = [
    ("id",), ("-id",), ("at", "id"), ("-at", "-id"), ("-at", "id"), ("action", "-at", "id"), ("-action", "at", "-id"),
]  # fmt: skip


@pytest.fixture
def events(db: None) -> QuerySet[AuditEvent]:
    """Twenty-three rows with many ties: three instants that differ by a microsecond, two actions, random ids."""
    AuditEvent.objects.bulk_create(
        AuditEvent(
            id=uuid.UUID(int=(number * 7919) % 104729),
            at=START + timedelta(microseconds=number % 3),
            action=("flagged", "withdrawn")[number % 2],
            target_kind="run",
            target=f"{number}",
            reason="",
        )
        for number in range(23)
    )
    return AuditEvent.objects.all()


def walk(rows: QuerySet[AuditEvent], order: tuple[str, ...], limit: int) -> list[list[str]]:
    pages, cursor = [], None
    while True:
        found, cursor = keyset.page(rows, order=order, scope="events", cursor=cursor, limit=limit)
        pages.append([row.target for row in found])
        if cursor is None:
            return pages


@pytest.mark.parametrize("order", ORDERS, ids=", ".join)
@pytest.mark.parametrize("limit", [1, 2, 7, 22, 23, 24])
def test_the_pages_together_are_the_whole_list_in_order_once(
    events: QuerySet[AuditEvent], order: tuple[str, ...], limit: int
) -> None:
    pages = walk(events, order, limit)
    assert [target for page in pages for target in page] == list(
        events.order_by(*order).values_list("target", flat=True)
    )
    assert all(len(page) == limit for page in pages[:-1])
    assert len(pages[-1]) <= limit


@pytest.mark.parametrize(("limit", "pages"), [(22, 2), (23, 1), (24, 1)])
def test_a_full_last_page_has_no_next(events: QuerySet[AuditEvent], limit: int, pages: int) -> None:
    assert len(walk(events, ("-at", "-id"), limit)) == pages


def test_an_empty_list_is_one_empty_page(db: None) -> None:
    assert keyset.page(AuditEvent.objects.all(), order=("id",), scope="events", cursor=None) == ([], None)


def test_rows_of_values_page_as_models_do(events: QuerySet[AuditEvent]) -> None:
    values = events.values("at", "id", "target")
    first, cursor = keyset.page(values, order=("-at", "-id"), scope="events", cursor=None, limit=20)
    second, after = keyset.page(values, order=("-at", "-id"), scope="events", cursor=cursor, limit=20)
    assert (len(first), len(second), after) == (20, 3, None)
    assert len({row["target"] for row in first + second}) == 23


def test_a_row_that_comes_in_before_the_cursor_shifts_nothing(events: QuerySet[AuditEvent]) -> None:
    first, cursor = keyset.page(events, order=("at", "id"), scope="events", cursor=None, limit=10)
    AuditEvent.objects.create(
        id=uuid.UUID(int=200000),
        at=START - timedelta(days=1),
        action="flagged",
        target_kind="run",
        target="new",
        reason="",
    )
    second, _ = keyset.page(events, order=("at", "id"), scope="events", cursor=cursor, limit=100)
    assert len(first) + len(second) == 23
    assert "new" not in {row.target for row in second}


def test_the_same_page_gives_the_same_cursor_at_any_time(
    events: QuerySet[AuditEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = cursor_of(events)
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    assert cursor_of(events) == now


def cursor_of(events: QuerySet[AuditEvent], scope: str = "events") -> str:
    _, cursor = keyset.page(events, order=("-at", "-id"), scope=scope, cursor=None, limit=5)
    assert cursor is not None
    return cursor


def refused(events: QuerySet[AuditEvent], cursor: str, order: tuple[str, ...] = ("-at", "-id")) -> str:
    with pytest.raises(keyset.BadCursorError) as error:
        keyset.page(events, order=order, scope="events", cursor=cursor)
    return str(error.value)


def test_the_cursor_of_another_list_is_refused(events: QuerySet[AuditEvent]) -> None:
    assert refused(events, cursor_of(events, "runs")) == "the cursor belongs to another list or another filter"


def test_the_cursor_of_another_order_is_refused(events: QuerySet[AuditEvent]) -> None:
    assert refused(events, cursor_of(events), order=("id",)) == "the cursor belongs to another list or another filter"


def test_a_cursor_changed_by_one_character_is_refused(events: QuerySet[AuditEvent]) -> None:
    cursor = cursor_of(events)
    changed = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
    assert refused(events, changed) == "the cursor is not one that this list gave"


@pytest.mark.parametrize("cursor", ["x", "..", "a:b:c", "é", "1" * 5000, "\x00", ":", "eyJhIjoxfQ:1abc:def"])
def test_what_is_no_cursor_is_refused(events: QuerySet[AuditEvent], cursor: str) -> None:
    assert refused(events, cursor) == "the cursor is not one that this list gave"


@pytest.mark.parametrize(
    "content",
    [
        [],
        ["events"],
        "events",
        {"a": 1},
        ["events", [["t", "not a time"], ["u", str(uuid.UUID(int=1))]]],
        ["events", [["t", "2026-07-01T00:00:00+00:00"], ["u", "no uuid"]]],
        ["events", [["x", "1"], ["u", str(uuid.UUID(int=1))]]],
        ["events", [["t", 5], ["u", 5]]],
        ["events", 5],
    ],
    ids=json.dumps,
)
def test_a_signed_cursor_of_another_shape_is_refused(events: QuerySet[AuditEvent], content: object) -> None:
    signed = signing.Signer(salt=keyset.SALT).sign_object(content)
    assert refused(events, signed) == "the cursor is not one that this list gave"


def test_a_cursor_signed_for_another_purpose_is_refused(events: QuerySet[AuditEvent]) -> None:
    content = ["events", [["t", START.isoformat()], ["u", str(uuid.UUID(int=1))]]]
    assert (
        refused(events, signing.Signer(salt="sessions").sign_object(content))
        == "the cursor is not one that this list gave"
    )
