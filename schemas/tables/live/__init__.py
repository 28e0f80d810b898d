"""Contracts of the family `live`."""
