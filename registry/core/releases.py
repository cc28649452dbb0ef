"""The release that a run measured: the upstream's label, by which observations of one implementation are told apart."""

from collections.abc import Mapping

SUFFIX = "_version"


def release(sighted: str | None, labels: Mapping[str, str]) -> str | None:
    """As it was sighted upstream, else the one label that ends in `_version`; several such labels name no release."""
    if sighted:
        return sighted
    versions = [value for name, value in labels.items() if name.endswith(SUFFIX)]
    return versions[0] if len(versions) == 1 else None
