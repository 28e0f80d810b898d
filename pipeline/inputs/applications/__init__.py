"""Applications of several functions, as users describe them."""
