"""Tests of the contracts and of what is rendered from them."""
