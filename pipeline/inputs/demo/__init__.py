"""A generated recording of two days, in the forms that people have."""
