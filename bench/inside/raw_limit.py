"""The least that bringing rows in can cost: read strictly, write canonically, hash, insert."""

import gc
import time
from collections.abc import Callable, Iterable
from typing import Any

from django.apps import apps
from django.db import connection, models, transaction

from registry import bulk
from registry.core.digest import document_text, sha256

Rows = list[tuple[type[models.Model], list[dict[str, Any]]]]
Documents = Iterable[list[dict[str, Any]]]


def all_rows() -> Rows:
    """Every row of the registry, in the order in which it was inserted."""
    found = []
    for model in apps.get_app_config("registry").get_models():
        names = [field.attname for field in model._meta.concrete_fields]
        found.append((model, list(model._default_manager.order_by().values(*names))))
    return found


def into_another(name: str) -> None:
    """Turn to the fresh database of this name; nothing is paid for the rows that are held in memory for it."""
    connection.close()
    connection.settings_dict["NAME"] = name
    connection.ensure_connection()
    gc.collect()
    gc.freeze()


def measure(documents: Callable[[], Documents], rows: Rows) -> dict[str, float]:
    """Go through an input's documents, canonicalise and hash each, insert the rows: nothing else."""
    began, began_cpu = time.perf_counter(), time.process_time()
    digest_s = 0.0
    for of_line in documents():
        started = time.perf_counter()
        for document in of_line:
            sha256(document_text(document["kind"], document["spec"]))
        digest_s += time.perf_counter() - started
    read_s = time.perf_counter() - began
    started = time.perf_counter()
    with transaction.atomic():
        for model, of_model in rows:
            bulk.insert(model, of_model)
    now = time.perf_counter()
    return {
        "wall_s": now - began,
        "cpu_s": time.process_time() - began_cpu,
        "parse_s": read_s - digest_s,
        "digest_s": digest_s,
        "insert_s": now - started,
    }
