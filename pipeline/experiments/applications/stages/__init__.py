"""The stages of the family `applications`, one module each."""
