"""The stages of the family `autoscaling`, one module each."""
