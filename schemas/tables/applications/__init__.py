"""Contracts of the family `applications`."""
