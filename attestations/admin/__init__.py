"""Staff's view of what people say."""

from attestations.admin import accounts

__all__ = ["accounts"]
