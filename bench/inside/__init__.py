"""The half of each figure that needs Django: run by bench.child in a process of its own, on a throw-away database."""
