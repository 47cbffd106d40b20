"""What is asked, seen and said: cases, observations, the right numbers on numbers and arrays, the Verdict."""
