"""The command line ``groupscale``."""
