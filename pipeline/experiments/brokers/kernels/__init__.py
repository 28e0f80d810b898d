"""Kernels of the family `brokers`: none."""


def load() -> None:
    """Nothing is loaded ahead."""
