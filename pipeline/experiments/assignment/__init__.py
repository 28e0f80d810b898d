"""The family of experiments `assignment`: which algorithm assigns partitions best."""
