"""Cases, observations, reference values on numbers and arrays, and the Verdict."""
