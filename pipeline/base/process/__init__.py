"""The process that a command runs in: output, signals, and work in a process of its own."""
