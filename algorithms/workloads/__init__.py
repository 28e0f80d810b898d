"""Generated write speeds of partitions."""
