"""What a run is: context, lock, record and results."""
