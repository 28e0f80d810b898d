"""What may be printed, quoted in a message, or linked."""
