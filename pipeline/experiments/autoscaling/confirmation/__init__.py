"""What happened after a recommendation, held against what it predicted."""
