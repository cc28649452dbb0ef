"""What a source says of its own run, as a quotation: never compared, never sorted on.

Figures that repeat the run's own measurement (in the source's unit) are left out here; they stand in the manifest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from registry.core.measurement import figure

NOT_DEFINED = "not defined by the source"
REPEATS_THE_MEASUREMENT = frozenset(
    {"latency_ms", "ms_20", "ms_50", "ms_80", "mib_20", "mib_50", "mib_80", "fast_1_total", "mean_ns", "best_ns"}
)


@dataclass(frozen=True, slots=True)
class Quoted:
    """One figure of a source. `text` is what is shown, `value` the source's exact figure, `meaning` its definition."""

    key: str
    value: float
    text: str
    meaning: str


def quoted(metrics: Mapping[str, float]) -> tuple[Quoted, ...]:
    """The source's figures: score, ratio and counts first, then the others by name."""
    found = []
    for key, write in _KNOWN.items():
        if key in metrics:
            text, meaning = write(metrics)
            found.append(Quoted(key, metrics[key], text, meaning))
    others = sorted(metrics.keys() - _KNOWN.keys() - REPEATS_THE_MEASUREMENT)
    for key in others:
        found.append(Quoted(key, metrics[key], f"{key.replace('_', ' ')} {_rounded(metrics[key])}", NOT_DEFINED))
    return tuple(found)


def _places(value: float, places: int) -> str:
    return f"{Decimal(str(value)).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP):,f}"


def _rounded(value: float) -> str:
    """Four significant digits, without an exponent for everyday sizes."""
    short = f"{value:.4g}"
    return f"{Decimal(short).normalize():,f}" if 1e-4 <= abs(value) < 1e6 or value == 0 else short


def _sol_score(metrics: Mapping[str, float]) -> tuple[str, str]:
    return f"SOL {_places(metrics['sol_score'], 4)}", "its SOL score (0.5 at its baseline, 1 at the speed of light)"


def _avg_speedup(metrics: Mapping[str, float]) -> tuple[str, str]:
    return f"{_places(metrics['avg_speedup'], 2)}× reference", "mean speed-up over its reference"


def _speedup_factor(metrics: Mapping[str, float]) -> tuple[str, str]:
    return f"{_places(metrics['speedup_factor'], 2)}× reference", "speed-up over its reference"


def _fast_1_count(metrics: Mapping[str, float]) -> tuple[str, str]:
    total = f"/{metrics['fast_1_total']:.0f}" if "fast_1_total" in metrics else ""
    return f"{metrics['fast_1_count']:.0f}{total} cases faster", "cases faster than its reference"


def _reference_latency(metrics: Mapping[str, float]) -> tuple[str, str]:
    return f"reference {_rounded(metrics['reference_latency_ms'])} ms", "latency of its reference"


def _leaderboard_score(metrics: Mapping[str, float]) -> tuple[str, str]:
    score = figure(metrics["leaderboard_score_s"], "s")
    return f"leaderboard score {score}", "its score in seconds over the whole problem"


_KNOWN = {
    "sol_score": _sol_score,
    "avg_speedup": _avg_speedup,
    "speedup_factor": _speedup_factor,
    "fast_1_count": _fast_1_count,
    "reference_latency_ms": _reference_latency,
    "leaderboard_score_s": _leaderboard_score,
}
