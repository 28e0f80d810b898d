"""The stages of the family `live`, one module each."""
