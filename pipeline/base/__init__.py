"""What all rooms use: errors, paths, limits, progress, texts and processes."""
