"""Agents, the optimum and a rule that decide on the brokers of a cluster, interval by interval."""
