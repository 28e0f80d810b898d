"""Statistics over replicates: intervals, paired tests, ranks and fronts."""
