"""Staff's view of testimony and of accounts: read, and acted upon with a reason; never edited."""

from attestations.admin import accounts, attestations, claims, people, reports, wordings

__all__ = ["accounts", "attestations", "claims", "people", "reports", "wordings"]
