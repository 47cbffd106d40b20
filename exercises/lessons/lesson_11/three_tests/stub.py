three_tests = [..., ..., ...]  # pairs (f, shapes), such as (lambda x, w: (x @ w).sum(), [(2, 3), (3, 4)])
