"""Hostile text in every text column of the registry and of people's tables, and the pages that it comes out on."""

import json
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import connection, models
from django.db.models.fields.json import JSONField

from registry import guards

DATA = Path(__file__).resolve().parents[1] / "data/scripts"
PAYLOADS = DATA.joinpath("payloads.txt").read_text().splitlines()
ADDRESSES = DATA.joinpath("addresses.txt").read_text().splitlines()
APPS = ("registry", "attestations", "auth", "account", "mfa", "usersessions", "socialaccount")
# Columns that are looked up by, parsed or chosen from a list: a stranger's text can't get into them. Anything else is
# free text and gets it.
STRUCTURAL = {
    "digest", "key", "slug", "kind", "state", "metric", "statistic", "unit", "harness_digest", "metadata_sha256",
    "correctness", "policy", "level", "target_table", "reason_class", "rule", "interval_kind", "spread_name", "profile",
    "sha256", "status", "importer", "schedule", "trigger", "thing", "method", "verdict", "contents", "source_digest",
    "handle_skeleton", "token", "codename", "password", "session_key", "mail_key", "name_digest", "subject_key",
    "setup", "relation", "outcome", "type", "provider", "uid", "app_label", "model", "position", "size",
    "separability", "next_separability", "fingerprint", "value",
    "effect", "timed_pass", "lasting_key", "table", "object_digest", "role",
}  # fmt: skip
LOOKED_UP = {
    "ProtocolNote.subject",
    "UnmappedName.name",
    "NameAlias.name",
    "NameAlias.target",
    "Permission.name",
    "Profile.handle",  # a rule of its own lets letters, digits, "-", "_" and "." in
}
FREE_KEYS = {
    "title", "description", "notes", "note", "displayName", "summary", "text", "message", "rationale", "license",
    "worker", "variant", "author", "comment",
}  # fmt: skip
IN_ADDRESSES = ("url", "uri", "homepage", "location", "repository", "unsubscribe")


def columns() -> Iterator[tuple[type[models.Model], models.Field]]:
    """Every column of free text."""
    for model in apps.get_models():
        if model._meta.app_label not in APPS or not model._meta.managed:
            continue
        for field in model._meta.concrete_fields:
            is_text = isinstance(field, models.CharField | models.TextField)
            if not is_text or field.choices or field.primary_key:
                continue
            if field.name not in STRUCTURAL and f"{model.__name__}.{field.name}" not in LOOKED_UP:
                yield model, field


def is_address(name: str) -> bool:
    return any(word in name for word in IN_ADDRESSES)


def poison(start: int, *, is_whole: bool) -> int:
    """Write payloads over every row of every free text column; returns how many values it wrote.

    `is_whole`: each value is all payloads, a line each; else each row has the next one, from `start` on. Documents stay
    documents: the free text in them is replaced. Without the guards, since no door lets such a change in.
    """
    texts = cycle(["\n".join(PAYLOADS)] if is_whole else PAYLOADS[start:] + PAYLOADS[:start])
    addresses = cycle(ADDRESSES[start % len(ADDRESSES) :] + ADDRESSES[: start % len(ADDRESSES)])
    written = 0
    guards.remove(connection)
    for model, field in columns():
        table, key = model._meta.db_table, model._meta.pk.column
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT "{key}", "{field.column}" FROM "{table}"')
            for pk, held in cursor.fetchall():
                text = next(addresses) if is_address(field.name) else next(texts)
                new = _in_document(held, text) if field.name in ("canonical", "metadata") else _unique(field, text, pk)
                if held not in (None, "") and new != held:
                    cursor.execute(f'UPDATE "{table}" SET "{field.column}" = %s WHERE "{key}" = %s', [new, pk])
                    written += 1
    written += _poison_json(texts)
    guards.install(connection)
    return written


def _unique(field: Any, text: str, pk: object) -> str:
    together = {name for one in field.model._meta.total_unique_constraints for name in one.fields}
    partly = {name for one in field.model._meta.constraints for name in getattr(one, "fields", ())}
    return f"{text} {pk}" if field.unique or field.name in together | partly else text


def _in_document(held: str, text: str) -> str:
    return json.dumps(_replaced(json.loads(held), text), ensure_ascii=False) if held else held


def _replaced(value: Any, text: str) -> Any:
    if isinstance(value, dict):
        return {
            key: text if key in FREE_KEYS and isinstance(inner, str) else _replaced(inner, text)
            for key, inner in value.items()
        }
    return [_replaced(inner, text) for inner in value] if isinstance(value, list) else value


def _poison_json(texts: Iterator[str]) -> int:
    """What is kept as JSON: reports of syncs, sentences of notes, details of audit events."""
    written = 0
    for name, column in (("ProtocolNote", "sentences"), ("AuditEvent", "detail"), ("GroupStanding", "undigested")):
        model = apps.get_model("registry", name)
        assert isinstance(model._meta.get_field(column), JSONField)
        for row in model._default_manager.all():
            new = _strings(getattr(row, column), texts)
            model._default_manager.filter(pk=row.pk).update(**{column: new})
            written += 1
    return written


def _strings(value: Any, texts: Iterator[str]) -> Any:
    if isinstance(value, dict):
        return {
            key: next(texts) if isinstance(inner, str) and not is_address(key) and key not in STRUCTURAL else
            _strings(inner, texts) for key, inner in value.items()
        }  # fmt: skip
    return [_strings(inner, texts) for inner in value] if isinstance(value, list) else value


# What a script of a stranger could use to be heard, and what markup of a stranger would leave in the page.
HEARD = """
window.heard = [];
for (const name of ['alert', 'confirm', 'prompt', 'print']) window[name] = () => { window.heard.push(name); };
"""
LEFT = """() => {
  const left = [...window.heard];
  for (const element of document.querySelectorAll('*')) {
    for (const {name, value} of element.attributes) {
      if (/^on/i.test(name)) left.push(`<${element.localName} ${name}>`);
      if (['href', 'src', 'action', 'formaction', 'data', 'srcdoc', 'xlink:href'].includes(name)
          && /^[\\s\\u0000-\\u0020]*(javascript|vbscript|data:text|blob|filesystem|view-source)/i.test(value))
        left.push(`<${element.localName} ${name}=${value.slice(0, 40)}>`);
    }
    if (['iframe', 'object', 'embed', 'frame', 'base', 'marquee', 'math', 'foreignobject', 'animate', 'set', 'audio',
         'video', 'applet'].includes(element.localName)) left.push(`<${element.localName}>`);
  }
  for (const script of document.scripts || [])
    if (!script.src && script.type !== 'application/json' && script.type !== 'application/ld+json')
      left.push('<script> inline');
    else if (script.src && new URL(script.src).origin !== location.origin) left.push(`<script src=${script.src}>`);
  return left;
}"""
