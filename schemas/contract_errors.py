"""Errors of the contracts."""


class ContractError(ValueError):
    """A contract contradicts itself, or cannot be rendered as asked."""
