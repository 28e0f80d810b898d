"""One strategy on one stream: its processes, from their start to their end."""
