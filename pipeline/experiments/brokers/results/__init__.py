"""What the scalings of an experiment say together."""
