"""What upstreams' names stand for, as people settled it: audited, append-only, in force from the next sync on."""

import uuid
from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import Max, Q

from registry import auditing
from registry.core.naming import hardware_name
from registry.importers import gpus
from registry.importers.base import NAME_KINDS, Known
from registry.models import NameAlias, Source, UnmappedName

GPU_FACTS = ("vendor", "product", "architecture")  # a form factor only where the name tells it
LONGEST = 300


class AliasError(ValueError):
    """The name can't be settled so; the text says why, for the one who tried."""


def settle(
    *, source: Source | None, kind: str, name: str, target: str = "", facts: Mapping[str, str] | None = None,
    reason: str, actor: uuid.UUID, now: datetime,
) -> NameAlias:  # fmt: skip
    """Say what a name stands for: another name that the importer knows, or the facts themselves. No source: all."""
    target = target.strip()
    if kind not in NAME_KINDS:
        raise AliasError(f"Names are of one of: {', '.join(NAME_KINDS)}.")
    if not name.strip() or len(name) > LONGEST:
        raise AliasError(f"A name has 1 to {LONGEST} characters.")
    if bool(target) == bool(facts):
        raise AliasError("Give either the name that it stands for, or its facts.")
    stated = {key: str(value).strip() for key, value in (facts or {}).items() if str(value).strip()} or None
    if kind == "gpu":
        target = hardware_name(_gpu_facts(target, stated))
    elif stated:
        raise AliasError("Only a GPU is given by its facts; say which name this one stands for.")
    if len(target) > LONGEST:
        raise AliasError(f"The name that it stands for has at most {LONGEST} characters.")
    if target == name and not stated:
        raise AliasError("A name can't stand for itself.")
    return _append("name settled", source, kind, name, target, stated, reason, actor, now)


def revoke(alias: NameAlias, *, reason: str, actor: uuid.UUID, now: datetime) -> NameAlias:
    """Unsettle a name. What was imported by it stays; the next sync's rows wait again."""
    holding = NameAlias.objects.filter(source=alias.source, kind=alias.kind, name=alias.name).first()
    if holding is None or holding.pk != alias.pk or not holding.target:
        raise AliasError("Only the alias that holds now can be revoked.")
    return _append("name unsettled", alias.source, alias.kind, alias.name, "", None, reason, actor, now)


def known(source: Source | None, answers: Mapping[str, object] | None = None) -> Known:
    """What an import of this source may rely on: its own names before everybody's, each by its newest alias."""
    in_force = NameAlias.objects.in_force().filter(Q(source=None) | Q(source=source))
    everybodys_first = sorted(in_force, key=lambda alias: alias.source_id is not None)
    return Known({(alias.kind, alias.name): alias.facts or alias.target for alias in everybodys_first}, answers or {})


def last_act(source: Source) -> datetime | None:
    """When a name of this source, or of all, was last settled or unsettled."""
    return NameAlias.objects.filter(Q(source=None) | Q(source=source)).aggregate(last=Max("at"))["last"]


def _gpu_facts(target: str, stated: dict[str, str] | None) -> Mapping[str, str]:
    """What a GPU's name comes to. Its hardware then is found by that name too."""
    if stated is None:
        found = gpus.hardware(target, Known())
        if found is None:
            raise AliasError(f"No importer knows a GPU {target!r}; give its facts: {', '.join(GPU_FACTS)}.")
        return found
    missing = [key for key in GPU_FACTS if key not in stated]
    if missing:
        raise AliasError(f"The facts of a GPU lack {', '.join(missing)}.")
    further = sorted(stated.keys() - set(gpus.MEMBERS))
    if further:
        raise AliasError(f"A GPU's facts are {', '.join(gpus.MEMBERS)}; not {', '.join(further)}.")
    return stated


def _append(
    action: str, source: Source | None, kind: str, name: str, target: str, facts: dict[str, str] | None,
    reason: str, actor: uuid.UUID, now: datetime,
) -> NameAlias:  # fmt: skip
    if not reason.strip():
        raise AliasError("State a reason: it is kept with the alias.")
    detail = {"source": source.slug if source else None, "kind": kind, "target": target, "facts": facts}
    with transaction.atomic():
        alias = NameAlias.objects.create(
            id=auditing.new_id(now),
            at=now,
            source=source,
            kind=kind,
            name=name,
            target=target,
            facts=facts,
            reason=reason,
            actor=actor,
            audit=auditing.record(action, "name", name[:200], reason, actor, now, detail),
        )
        waiting = UnmappedName.objects.filter(kind=kind, name=name)
        (waiting.filter(source=source) if source else waiting).update(is_settled=bool(target))
    return alias
