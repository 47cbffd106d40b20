"""The exercises of lesson 11, in their order."""

EXERCISES = ("unbroadcast", "matmul_vjps", "sum_vjp", "rows_vjp", "assemble", "three_tests")
