def f(x):
    return ...


xs = (2.0,)
