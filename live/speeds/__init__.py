"""The monitor of a live run: how fast a topic's partitions grow, from the sizes of their logs."""
