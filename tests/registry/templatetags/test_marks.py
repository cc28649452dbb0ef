"""A mark, its word and its colour always go together."""

import pytest

from registry.templatetags import marks


@pytest.mark.parametrize(
    ("name", "tone"),
    [
        ("passed", "ok"), ("agrees", "ok"), ("reproduced", "ok"), ("withdrawn", "bad"), ("superseded", "idle"),
        ("flagged", "warn"), ("disputed", "idle"), ("note", "idle"), ("disagrees", "bad"), ("running", "idle"),
        ("queued", "idle"), ("compile_error", "bad"), ("timeout", "bad"),
    ],
)  # fmt: skip
def test_a_state_has_its_colour_a_hidden_mark_and_its_word(name: str, tone: str) -> None:
    made = marks.state(name)
    assert made.startswith(f'<span class="state {tone}"><svg ')
    assert 'aria-hidden="true"' in made
    assert made.endswith(f"</svg> {name}</span>")


def test_two_states_never_share_mark_and_colour() -> None:
    drawn = {name: marks.state(name, "word") for name in ("passed", "withdrawn", "superseded", "flagged", "disagrees")}
    assert len(set(drawn.values())) == 5


def test_a_states_word_and_tone_may_be_given_and_are_escaped() -> None:
    assert marks.state("superseded", "replaced", "warn").startswith('<span class="state warn">')
    assert marks.state("failed", "<b>").endswith("</svg> &lt;b&gt;</span>")


@pytest.mark.parametrize(
    ("level", "filled"), [("reported", 1), ("reproducible", 2), ("verified", 3), ("replicated", 4)]
)
def test_a_level_fills_as_many_of_four_squares_and_links_to_its_meaning(level: str, filled: int) -> None:
    made = marks.evidence(level)
    assert made.count("<path ") == 4
    assert made.count('fill="currentColor"') == filled
    assert made.endswith(f'</svg> <a href="/docs/#evidence">{level}</a></span>')


def test_a_digest_shows_twelve_digits_holds_the_whole_and_a_copy_button_that_script_reveals() -> None:
    made = marks.digest("sha256:7331cf583fb6e7ee", "run digest")
    assert made == (
        '<span class="digest"><code title="sha256:7331cf583fb6e7ee">sha256:7331cf583fb6…</code>'
        '<button type="button" class="copy" data-copy="sha256:7331cf583fb6e7ee" hidden>'
        'Copy<span class="vh"> run digest</span></button></span>'
    )


def test_a_copy_button_escapes_what_it_holds() -> None:
    assert marks.copy('a"b', "<x>") == (
        '<button type="button" class="copy" data-copy="a&quot;b" hidden>Copy<span class="vh"> &lt;x&gt;</span></button>'
    )
    assert marks.copy_from("manifest-text", "manifest") == (
        '<button type="button" class="copy" data-copy-from="manifest-text" hidden>'
        'Copy<span class="vh"> manifest</span></button>'
    )
