three_tests = [..., ..., ...]  # pairs (f, shapes), as square is
