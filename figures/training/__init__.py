"""Training for the labs, without pictures: runs on XOR, a learner's own network, the networks of many seeds."""
