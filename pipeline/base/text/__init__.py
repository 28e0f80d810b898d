"""Makes text safe to print, to quote in a message, or to link."""
