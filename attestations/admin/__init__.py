"""Staff's view of testimony and of accounts: read, and acted upon with a reason; never edited."""

from attestations.admin import attestations, claims, people, reports, wordings

__all__ = ["attestations", "claims", "people", "reports", "wordings"]
