six_tests = [..., ..., ..., ..., ..., ...]  # each a pair (f, xs), such as (lambda a, b: a * b, [2.0, 3.0])
