"""What the labs train, without a picture: runs on XOR, a learner's own network, the networks of many seeds."""
