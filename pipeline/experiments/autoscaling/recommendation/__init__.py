"""The cheapest way to scale a group within an objective, and the files to deploy it with."""
