"""Forms of files: each module reads one into a long table, or is a part of one that does."""
