"""What every algorithm builds on: arrays, compilation, seeds, sorting and shuffling."""
