"""What `groupscale learn evaluate` does."""
