"""End-to-end latencies of Kafka brokers with capped processors: `make bench-brokers` writes this.

What was measured, and how, is on docs/broker-curve-table.md. There are no rows while no machine
has carried a load with every number of brokers.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class MeasuredRow(NamedTuple):
    """A cluster under one load."""

    brokers: int
    load: float
    """Records per second over 4,000."""
    repeat: int
    latencies_ms: tuple[float, ...]
    """Mean from due to read of the records of each time between two scrapes, ms."""


ROWS: Final[tuple[MeasuredRow, ...]] = (
    MeasuredRow(3, 0.25, 0, (406.01, 411.05, 405.19, 406.72)),
    MeasuredRow(3, 0.25, 1, (455.80, 466.36, 488.26, 413.13)),
    MeasuredRow(3, 0.25, 2, (342.35, 309.44, 359.92, 332.61)),
    MeasuredRow(3, 0.25, 3, (334.97, 372.96, 409.62, 338.98)),
    MeasuredRow(3, 0.25, 4, (352.80, 349.05, 377.91, 346.48)),
    MeasuredRow(4, 0.25, 0, (310.80, 305.31, 353.78, 344.44)),
    MeasuredRow(4, 0.25, 1, (283.45, 336.34, 297.34, 300.52)),
    MeasuredRow(4, 0.25, 2, (297.24, 316.75, 358.04, 346.61)),
    MeasuredRow(4, 0.25, 3, (382.93, 343.94, 397.86, 402.70)),
    MeasuredRow(4, 0.25, 4, (205.87, 166.77, 219.63, 203.60)),
    MeasuredRow(5, 0.25, 0, (238.31, 241.03, 206.83, 206.83)),
    MeasuredRow(5, 0.25, 1, (216.32, 165.90, 205.86, 259.28)),
    MeasuredRow(5, 0.25, 2, (298.69, 294.37, 240.52, 274.04)),
    MeasuredRow(5, 0.25, 3, (287.26, 269.28, 284.57, 271.56)),
    MeasuredRow(5, 0.25, 4, (230.63, 233.84, 204.84, 186.72)),
    MeasuredRow(6, 0.25, 0, (169.39, 169.30, 202.05, 246.87)),
    MeasuredRow(6, 0.25, 1, (171.83, 155.07, 163.45, 171.41)),
    MeasuredRow(6, 0.25, 2, (214.58, 237.41, 266.40, 200.23)),
    MeasuredRow(6, 0.25, 3, (174.36, 155.78, 183.43, 137.94)),
    MeasuredRow(6, 0.25, 4, (164.15, 173.29, 131.31, 171.38)),
    MeasuredRow(7, 0.25, 0, (279.64, 239.55, 351.03, 238.87)),
    MeasuredRow(7, 0.25, 1, (224.56, 131.78, 145.51, 120.80)),
    MeasuredRow(7, 0.25, 2, (183.42, 147.69, 151.30, 122.64)),
    MeasuredRow(7, 0.25, 3, (114.61, 105.11, 100.26, 123.37)),
    MeasuredRow(7, 0.25, 4, (100.83, 134.19, 129.94, 137.95)),
    MeasuredRow(3, 1, 0, (326.45, 339.12, 293.36, 331.66)),
    MeasuredRow(3, 1, 1, (395.70, 357.52, 479.81, 432.26)),
    MeasuredRow(3, 1, 2, (399.37, 349.55, 342.72, 336.25)),
    MeasuredRow(3, 1, 3, (474.06, 436.21, 488.98, 465.60)),
    MeasuredRow(3, 1, 4, (390.92, 414.00, 440.89, 429.02)),
    MeasuredRow(4, 1, 0, (335.73, 317.25, 322.99, 356.98)),
    MeasuredRow(4, 1, 1, (288.50, 332.42, 269.56, 270.91)),
    MeasuredRow(4, 1, 2, (272.27, 321.27, 306.04, 329.05)),
    MeasuredRow(4, 1, 3, (357.19, 374.33, 407.38, 403.38)),
    MeasuredRow(4, 1, 4, (258.87, 339.29, 286.61, 287.60)),
    MeasuredRow(5, 1, 0, (302.26, 370.83, 388.49, 262.34)),
    MeasuredRow(5, 1, 1, (259.45, 264.09, 297.28, 271.50)),
    MeasuredRow(5, 1, 2, (277.85, 245.03, 311.75, 311.96)),
    MeasuredRow(5, 1, 3, (212.73, 265.97, 199.73, 198.88)),
    MeasuredRow(5, 1, 4, (178.19, 150.32, 141.82, 203.99)),
    MeasuredRow(6, 1, 0, (169.57, 254.88, 159.81, 193.79)),
    MeasuredRow(6, 1, 1, (201.03, 229.96, 186.93, 175.08)),
    MeasuredRow(6, 1, 2, (201.54, 273.38, 240.79, 269.62)),
    MeasuredRow(6, 1, 3, (158.13, 195.72, 180.89, 152.18)),
    MeasuredRow(6, 1, 4, (154.82, 192.86, 201.19, 197.08)),
    MeasuredRow(7, 1, 0, (240.86, 242.65, 335.44, 233.86)),
    MeasuredRow(7, 1, 1, (132.11, 126.06, 136.57, 122.58)),
    MeasuredRow(7, 1, 2, (150.37, 174.60, 234.01, 156.07)),
    MeasuredRow(7, 1, 3, (134.40, 119.14, 131.11, 131.21)),
    MeasuredRow(7, 1, 4, (150.82, 136.01, 148.33, 151.28)),
)
