"""What replicates allow to conclude: intervals, paired tests, ranks and fronts."""
