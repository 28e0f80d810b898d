"""The stages of the family `assignment`, one module each."""
