"""Kernels of the family `pulsar`: few, which the simulations of its stage load."""


def load() -> None:
    """Nothing is loaded ahead: the stage waits for Pulsar meanwhile."""
