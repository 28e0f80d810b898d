"""The stages of every family, after its own."""
