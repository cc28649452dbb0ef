"""What performance is claimed: one command a figure, each a ratio to something measured in the same run."""
