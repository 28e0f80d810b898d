"""What a run on a broker has left behind: read from its folder, and reduced to figures."""
