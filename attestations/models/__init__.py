"""People's and machines' statements, and who they are in public."""

from attestations.models.profiles import Profile

__all__ = ["Profile"]
