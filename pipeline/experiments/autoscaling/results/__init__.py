"""Tables of a run of the family, as its sections and MLflow need them."""
