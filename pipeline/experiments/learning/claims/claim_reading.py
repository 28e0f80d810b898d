"""The reading of the paper that a verdict holds for: what it leaves open, and settings."""

from __future__ import annotations

from algorithms.learning.learning_claim import Claim
from pipeline.settings.learning_experiment import Settings


def sentence(claim: Claim, settings: Settings) -> str:
    """Which settings and starts of episodes a claim is judged with, for its note."""
    if claim.departs:
        departs = f"Other settings than the paper's: {', '.join(claim.departs)}."
        return f"{departs} Episodes start with {_start(settings)}."
    return f"Judged with the printed settings and episodes that start with {_start(settings)}."


def _start(settings: Settings) -> str:
    brokers = settings.brokers
    if brokers.start_brokers is None:
        return "any number of brokers"
    if brokers.start_brokers == brokers.min_brokers:
        return f"the fewest brokers, {brokers.min_brokers}"
    return f"{brokers.start_brokers} brokers"
