"""Delta tables: contracts applied, commits, reading, SQL and views."""
