"""Results of applications: rows of simulations, and means over them."""
