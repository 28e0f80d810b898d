"""What the commands ``groupscale live …`` print."""
