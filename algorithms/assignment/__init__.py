"""Assignment of partitions to consumers: the algorithms and their registry."""
