"""Tests of what is published on groups whose assignor asks."""
