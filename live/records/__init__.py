"""Records of a live run: when they are due, their bytes, the producer, and evidence of reading."""
