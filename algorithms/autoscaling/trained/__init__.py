"""Strategies that are trained: policies, what they observe, and how they decide."""
