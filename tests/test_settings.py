"""Every value comes from the environment, with a safe default or a loud failure."""

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from kernelindex import settings

ROOT = Path(__file__).resolve().parents[1]
PRODUCTION = {
    "KI_SECRET_KEY": secrets.token_urlsafe(64),
    "KI_SITE_URL": "https://index.example",
    "KI_ALLOWED_HOSTS": "index.example",
}
READ = """
import json
from kernelindex import settings
names = %r
print(json.dumps({name: getattr(settings, name) for name in names}, default=str))
"""


def run(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    clean = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=clean | environment, capture_output=True, text=True, timeout=120
    )


def settings_of(environment: dict[str, str], *names: str) -> dict[str, object]:
    done = run(["-c", READ % (names,)], environment)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def fault_of(environment: dict[str, str]) -> str:
    done = run(["-c", "import kernelindex.settings"], environment)
    assert done.returncode != 0
    return done.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize("text", ["1", "true", "True", "yes", "on"])
def test_yes_in_the_environment_is_true(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("KI_X", text)
    assert settings.env_bool("KI_X", False) is True


@pytest.mark.parametrize("text", ["0", "false", "No", "off", ""])
def test_no_in_the_environment_is_false(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("KI_X", text)
    assert settings.env_bool("KI_X", True) is False


def test_what_is_not_set_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KI_X", raising=False)
    assert (settings.env_bool("KI_X", True), settings.env_bool("KI_X", False), settings.env_int("KI_X", 7)) == (
        True,
        False,
        7,
    )
    assert settings.env_list("KI_X", "a, b") == ["a", "b"]


@pytest.mark.parametrize("text", ["maybe", "2", "tru"])
def test_neither_yes_nor_no_is_a_loud_failure(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("KI_X", text)
    with pytest.raises(ImproperlyConfigured, match=f"KI_X must be 1 or 0, got '{text}'"):
        settings.env_bool("KI_X", False)


@pytest.mark.parametrize("text", ["x", "1.5", ""])
def test_no_whole_number_is_a_loud_failure(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("KI_X", text)
    with pytest.raises(ImproperlyConfigured, match="KI_X must be a whole number"):
        settings.env_int("KI_X", 1)


def test_a_list_is_cut_at_commas_and_empty_parts_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KI_X", " a.example, ,b.example,")
    assert settings.env_list("KI_X", "") == ["a.example", "b.example"]


def test_the_embedded_default_needs_nothing_and_keeps_everything_in_one_folder(tmp_path: Path) -> None:
    found = settings_of(
        {"KI_DATA": str(tmp_path)},
        "SECRET_KEY", "IS_EMBEDDED", "DEBUG", "SITE_URL", "MEDIA_ROOT", "STATIC_ROOT", "ALLOWED_HOSTS", "DATABASES",
        "SESSION_COOKIE_SECURE", "SECURE_SSL_REDIRECT",
    )  # fmt: skip
    assert (found["IS_EMBEDDED"], found["DEBUG"], found["SITE_URL"]) == (True, False, "http://localhost:8000")
    assert (found["MEDIA_ROOT"], found["STATIC_ROOT"]) == (f"{tmp_path}/media", f"{tmp_path}/static")
    assert found["ALLOWED_HOSTS"] == ["localhost", "127.0.0.1", "[::1]"]
    assert found["DATABASES"]["default"]["NAME"] == f"{tmp_path}/registry.sqlite3"  # type: ignore[index]
    assert (found["SESSION_COOKIE_SECURE"], found["SECURE_SSL_REDIRECT"]) == (False, False)
    key = tmp_path / "secret-key"
    assert key.read_text() == found["SECRET_KEY"]
    assert len(key.read_text()) > 60
    assert key.stat().st_mode & 0o777 == 0o600


def test_the_generated_secret_is_made_once(tmp_path: Path) -> None:
    made = [settings_of({"KI_DATA": str(tmp_path)}, "SECRET_KEY") for _ in range(2)]
    assert made[0] == made[1]


@pytest.mark.parametrize(
    ("query", "options"),
    [("", "-c join_collapse_limit=3"), ("?options=-c%20join_collapse_limit%3D8", "-c join_collapse_limit=8")],
)
def test_postgresql_joins_as_written_unless_the_url_says_otherwise(tmp_path: Path, query: str, options: str) -> None:
    found = settings_of(
        PRODUCTION | {"KI_DATA": str(tmp_path), "DATABASE_URL": f"postgres://x@127.0.0.1/x{query}"}, "DATABASES"
    )
    assert found["DATABASES"]["default"]["OPTIONS"]["options"] == options  # type: ignore[index]


def test_a_database_of_ones_own_needs_a_secret_of_ones_own(tmp_path: Path) -> None:
    environment = {"KI_DATA": str(tmp_path), "DATABASE_URL": f"sqlite:///{tmp_path}/own.sqlite3"}
    assert fault_of(environment).endswith("KI_SECRET_KEY must be set where DATABASE_URL is")
    assert settings_of(environment | {"KI_ALLOW_GENERATED_SECRET": "1"}, "IS_EMBEDDED") == {"IS_EMBEDDED": False}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("KI_DEBUG", "maybe", "KI_DEBUG must be 1 or 0, got 'maybe'"),
        ("KI_TRUST_PROXY", "2", "KI_TRUST_PROXY must be 1 or 0, got '2'"),
        ("KI_GITHUB_CLIENT_ID", "x", "KI_GITHUB_CLIENT_ID and KI_GITHUB_SECRET must be set together"),
        ("KI_SMTP_SECURITY", "ssl", "KI_SMTP_SECURITY must be starttls, tls or none, got 'ssl'"),
        ("KI_CONN_MAX_AGE", "long", "KI_CONN_MAX_AGE must be a whole number, got 'long'"),
    ],
)
def test_a_value_that_cannot_be_read_stops_the_start_with_its_name(
    tmp_path: Path, name: str, value: str, message: str
) -> None:
    assert fault_of({"KI_DATA": str(tmp_path), name: value}).endswith(message)


def test_https_turns_on_secure_cookies_the_redirect_and_hsts(tmp_path: Path) -> None:
    found = settings_of(
        PRODUCTION | {"KI_DATA": str(tmp_path), "KI_TRUST_PROXY": "1"},
        "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS",
        "SECURE_PROXY_SSL_HEADER", "SITE_URL",
    )  # fmt: skip
    assert found == {
        "SESSION_COOKIE_SECURE": True, "CSRF_COOKIE_SECURE": True, "SECURE_SSL_REDIRECT": True,
        "SECURE_HSTS_SECONDS": 31536000, "SECURE_PROXY_SSL_HEADER": ["HTTP_X_FORWARDED_PROTO", "https"],
        "SITE_URL": "https://index.example",
    }  # fmt: skip


def test_the_forwarded_protocol_is_not_trusted_unless_told(tmp_path: Path) -> None:
    done = run(
        ["-c", "from kernelindex import settings; print(hasattr(settings, 'SECURE_PROXY_SSL_HEADER'))"],
        PRODUCTION | {"KI_DATA": str(tmp_path)},
    )
    assert done.stdout.strip() == "False"


def test_the_deployment_check_passes_with_the_documented_production_environment(tmp_path: Path) -> None:
    environment = PRODUCTION | {"KI_DATA": str(tmp_path), "DATABASE_URL": f"sqlite:///{tmp_path}/site.sqlite3"}
    done = run(["manage.py", "check", "--deploy", "--fail-level", "WARNING"], environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "no issues" in done.stdout


def test_the_deployment_check_fails_on_plain_http(tmp_path: Path) -> None:
    environment = PRODUCTION | {"KI_DATA": str(tmp_path), "KI_SITE_URL": "http://index.example"}
    assert run(["manage.py", "check", "--deploy", "--fail-level", "WARNING"], environment).returncode != 0


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, ["'self'"]),
        ({"KI_GITHUB_CLIENT_ID": "Iv1.0123", "KI_GITHUB_SECRET": "s"}, ["'self'", "https://github.com"]),
        (
            {"KI_GITHUB_CLIENT_ID": "x", "KI_GITHUB_SECRET": "s", "KI_GITHUB_URL": "https://github.example/"},
            ["'self'", "https://github.example"],
        ),
    ],
)
def test_githubs_host_is_a_form_target_only_when_its_sign_in_is_configured(
    tmp_path: Path, environment: dict[str, str], expected: list[str]
) -> None:
    found = settings_of(environment | {"KI_DATA": str(tmp_path)}, "CONTENT_SECURITY_POLICY")
    assert found["CONTENT_SECURITY_POLICY"]["DIRECTIVES"]["form-action"] == expected  # type: ignore[index]


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, ("console", True, False)),
        ({"KI_SMTP_HOST": "mail.example"}, ("smtp", True, False)),
        ({"KI_SMTP_HOST": "mail.example", "KI_SMTP_SECURITY": "tls"}, ("smtp", False, True)),
        ({"KI_SMTP_HOST": "mail.example", "KI_SMTP_SECURITY": "none"}, ("smtp", False, False)),
    ],
)
def test_mail_is_printed_unless_a_server_is_named(
    tmp_path: Path, environment: dict[str, str], expected: tuple[str, bool, bool]
) -> None:
    found = settings_of(environment | {"KI_DATA": str(tmp_path)}, "EMAIL_BACKEND", "EMAIL_USE_TLS", "EMAIL_USE_SSL")
    assert found == {
        "EMAIL_BACKEND": f"django.core.mail.backends.{expected[0]}.EmailBackend", "EMAIL_USE_TLS": expected[1],
        "EMAIL_USE_SSL": expected[2],
    }  # fmt: skip
