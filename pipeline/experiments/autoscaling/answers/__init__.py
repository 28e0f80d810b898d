"""A recommendation as text, tables, pictures and a page."""
