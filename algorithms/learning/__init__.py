"""Learning agents and the environments that they are trained in."""
