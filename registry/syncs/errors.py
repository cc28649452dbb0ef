"""What the acts on syncs raise."""


class SyncError(ValueError):
    """The act does not apply; its text says why, for the one who tried."""
