"""Sign-in with GitHub, against a server of the test's own: who is taken, what is kept, what is refused.

The provider reads its server's address when it is imported, so the site runs in a process with the keys set.
"""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
ANSWERS: dict[str, Any] = {
    "/login/oauth/access_token": {"access_token": "secret-token", "token_type": "bearer", "scope": "user:email"},
    "/api/v3/user": {
        "id": 77, "login": "octo-anna", "name": "Anna Private", "email": None, "location": "Somewhere",
        "html_url": "https://github.example/octo-anna", "bio": "x",
    },
    "/api/v3/user/emails": [{"email": "anna@example.org", "primary": True, "verified": True}],
}  # fmt: skip
SITE = """
import json, sys
import django
django.setup()
from urllib.parse import parse_qs, urlsplit
from django.core.management import call_command
from django.test import Client
from django.test.utils import setup_test_environment
setup_test_environment()
call_command("migrate", verbosity=0)
call_command("createcachetable", verbosity=0)
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.contrib.auth import get_user_model
from django.core import mail

def sign_in(client, back="/docs/"):
    asked = client.post("/accounts/github/login/", {"next": back})
    query = parse_qs(urlsplit(asked["Location"]).query)
    back = client.get("/accounts/github/login/callback/", {"code": "c", "state": query["state"][0]})
    return asked["Location"], back.headers.get("Location", ""), back.status_code

told, client = {}, Client()
told["button"] = "Sign in with GitHub" in client.get("/accounts/login/").content.decode()
told["policy"] = client.get("/accounts/login/")["Content-Security-Policy"]
told["get"] = client.get("/accounts/github/login/").status_code
told["first"] = sign_in(client)
user = get_user_model().objects.get()
told["user"] = [user.email, user.first_name, user.last_name, user.has_usable_password(), len(user.username)]
told["verified"] = list(EmailAddress.objects.values_list("email", "verified"))
told["account"] = SocialAccount.objects.get().extra_data
told["tokens"] = SocialToken.objects.count()
told["again"] = sign_in(Client())
told["users"] = get_user_model().objects.count()
told["hostile"] = sign_in(Client(), "https://evil.example/")[1]
told["forged"] = Client().get("/accounts/github/login/callback/", {"code": "c", "state": "x"}).status_code


SocialAccount.objects.all().delete()
told["taken"] = sign_in(Client())
told["connected"] = SocialAccount.objects.count()
told["mails"] = [one.subject for one in mail.outbox]

user.is_active = False
user.save()
SocialAccount.objects.create(user=user, provider="github", uid="77", extra_data={})
told["off"] = sign_in(Client())[1]
print(json.dumps(told))
"""


class GitHub(BaseHTTPRequestHandler):
    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.dumps(ANSWERS[self.path.partition("?")[0]]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer  # noqa: N815

    def log_message(self, *args: Any) -> None:
        """Nothing on standard error."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: Any) -> dict[str, Any]:
    """What the site did, once for the module."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), GitHub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = {
        "PATH": os.environ["PATH"], "KI_DATA": str(tmp_path_factory.mktemp("site")),
        "DJANGO_SETTINGS_MODULE": "kernelindex.settings", "KI_GITHUB_CLIENT_ID": "id", "KI_GITHUB_SECRET": "secret",
        "KI_GITHUB_URL": f"http://127.0.0.1:{server.server_port}",
    }  # fmt: skip
    (Path(environment["KI_DATA"]) / "static").mkdir()
    site = "from django.conf import settings\nfrom kernelindex import settings as ours\n"
    site += "ours.STORAGES['staticfiles']['BACKEND'] = 'django.contrib.staticfiles.storage.StaticFilesStorage'\n" + SITE
    done = subprocess.run(
        [sys.executable, "-c", site], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240
    )
    server.shutdown()
    server.server_close()
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1]) | {"origin": environment["KI_GITHUB_URL"]}


def test_the_button_is_there_and_the_policy_lets_its_form_go(told: dict[str, Any]) -> None:
    assert told["button"]
    assert f"form-action 'self' {told['origin']}" in told["policy"]


def test_a_link_alone_starts_nothing(told: dict[str, Any]) -> None:
    assert told["get"] == 200, "a page that asks, for a form that posts"


def test_who_signs_in_is_back_where_they_were(told: dict[str, Any]) -> None:
    asked, back, _ = told["first"]
    assert asked.startswith(f"{told['origin']}/login/oauth/authorize?")
    assert "scope=user%3Aemail" in asked
    assert back == "/docs/"


def test_only_the_address_is_taken_and_it_counts_as_confirmed(told: dict[str, Any]) -> None:
    assert told["user"] == ["anna@example.org", "", "", False, 32]
    assert told["verified"] == [["anna@example.org", True]]
    assert told["account"] == {"id": 77, "login": "octo-anna", "html_url": "https://github.example/octo-anna"}
    assert told["tokens"] == 0


def test_the_next_time_it_is_the_same_account(told: dict[str, Any]) -> None:
    assert (told["again"][1], told["users"]) == ("/docs/", 1)


def test_it_leads_to_no_other_site(told: dict[str, Any]) -> None:
    assert told["hostile"] == "/"


def test_an_answer_that_nobody_asked_for_is_refused(told: dict[str, Any]) -> None:
    assert told["forged"] == 401


def test_an_address_that_has_an_account_here_is_not_taken_over(told: dict[str, Any]) -> None:
    assert told["connected"] == 0
    assert told["taken"][1] == "/accounts/confirm-email/"
    assert "KernelIndex: You have an account already" in told["mails"]


def test_an_account_that_was_switched_off_stays_off(told: dict[str, Any]) -> None:
    assert told["off"] == "/accounts/inactive/"
