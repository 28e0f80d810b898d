"""Contracts of the tables of the family `assignment`."""
