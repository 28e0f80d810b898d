"""The stages of the family `learning`, one module each."""
