"""Contracts of the tables that every family has."""
