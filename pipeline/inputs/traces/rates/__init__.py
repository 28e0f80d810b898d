"""From the rows of any file to the rates of a trace."""
