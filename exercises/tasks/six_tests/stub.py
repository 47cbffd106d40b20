# pairs (f, xs), such as (lambda a, b: a * b, [2.0, 3.0])
six_tests = [..., ..., ..., ..., ..., ...]
