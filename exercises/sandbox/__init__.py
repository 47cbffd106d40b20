"""Where a learner's code runs: within its limits, on a world that is put back afterwards."""
