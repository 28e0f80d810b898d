"""The family `learning`: agents that learn to scale, trained, judged and reported."""
