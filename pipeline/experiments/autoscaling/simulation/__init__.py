"""What `groupscale simulate` does."""
