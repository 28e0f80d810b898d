"""The protocol between controller and consumers: pure functions of messages and times.

Only the standard library is imported here. Nothing reads a clock, a file or a network: times are
arguments, and the caller moves messages between the parts and Kafka.
"""
