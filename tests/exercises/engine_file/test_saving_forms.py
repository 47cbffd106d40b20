"""Right answers in unusual forms: each goes into `my_engine.py` exactly as it ran."""

import textwrap

import pytest

from exercises.content import library
from tests.engines import swapped
from tests.learners_files import SHOW, is_kept, passed

pytestmark = pytest.mark.long

RIGHT = {  # an exercise, and right answers to it in unusual forms
    "a lambda": (
        "multiply",
        """
        as_value = lambda thing: thing if isinstance(thing, Value) else Value(thing)


        class Product(Value):
            def __mul__(self, other):
                out = Value(0.0, (self, as_value(other)), "*")
                out.data = self.data * out._prev[1].data
                return out

            def __rmul__(self, other):
                return self.__class__(other) * self
        """,
    ),
    "a comment above, an import, a helper, a decorator": (
        "clip",
        """
        # the length of a gradient
        import functools
        import operator as op

        def squared(p):  # helps
            return op.mul(p.grad, p.grad)

        def logged(function):
            @functools.wraps(function)
            def inner(*args):
                return function(*args)
            return inner

        @logged
        def clip(parameters, limit):
            '''Clips.'''
            length = math.sqrt(sum(map(squared, parameters)))
            for p in parameters:
                p.grad *= min(1, limit / length) if length else 1
            return length
        """,
    ),
    "a dataclass with slots": (
        "make_value",
        '''
        from dataclasses import dataclass


        @dataclass(repr=False, eq=False, slots=True)
        class Number:
            """Mine."""

            data: float
            _prev: tuple = ()
            _op: str = ""
            label: str = ""
            grad: float = 0.0
            _backward: object = lambda: None

            def __repr__(self):
                return f"Value(data={self.data:.4f})"
        ''',
    ),
    "stored local derivatives": (
        "rules",
        """
        def pass_on(node):
            for input, local in zip(node._prev, node.locals):
                input.grad += local * node.grad


        def made(number, inputs, sign, locals):
            out = Value(number, inputs, sign)
            out.locals = locals
            out._backward = lambda: pass_on(out)
            return out


        class Arithmetic(Value):
            def __add__(self, other):
                other = as_value(other)
                return made(self.data + other.data, (self, other), "+", (1.0, 1.0))

            def __mul__(self, other):
                other = as_value(other)
                return made(self.data * other.data, (self, other), "*", (other.data, self.data))
        """,
    ),
    "one neuron as the base of a class": (
        "neuron",
        swapped(
            library.solution("neuron").code.strip(),
            ("class Neuron:", "class Weighted:"),
            ("\n    def __call__", "\n\nclass Neuron(Weighted):\n    def __call__"),
        ),
    ),
    "an object that can be called, with global state": (
        "clip",
        """
        count = 0
        class Clip:
            def __call__(self, parameters, limit):
                global count
                count += 1
                length = math.sqrt(sum(p.grad**2 for p in parameters))
                for p in parameters:
                    p.grad *= min(1, limit / length) if length else 1
                return length


        clip = Clip()
        """,
    ),
    "a private name, which a class would change": (
        "backward",
        """
        def __pass_back(order):
            for node in order:
                node._backward()


        def backward(self):
            self.grad = 1.0
            __pass_back(reversed(topological_order(self)))
        """,
    ),
    "an order that is no list": (
        "topological_order",
        """
        def inputs_first(root, seen=None):
            seen = set() if seen is None else seen
            if root not in seen:
                seen.add(root)
                for input in root._prev:
                    yield from inputs_first(input, seen)
                yield root
        """,
    ),
}
IN_THE_FILE = {  # what the file has for each of them
    "a lambda": "\nas_value = lambda thing: thing if isinstance",
    "a comment above, an import, a helper, a decorator": "\n@logged\ndef clip(parameters, limit):\n    '''Clips.'''",
    "a dataclass with slots": "\n    __repr__ = Number.__repr__\n",
    "stored local derivatives": "\n        other = as_value(other)\n        return made(",
    "one neuron as the base of a class": "\nclass Neuron(Weighted):\n",
    "an object that can be called, with global state": "\nclip = Clip()\n",
    "a private name, which a class would change": "\nValue.backward = backward\n",
    "an order that is no list": "\ndef topological_order(root):\n    return list(inputs_first(root))\n",
}

NOT_IN_THE_FILE = {  # lines of theirs that it does not have
    "a lambda": {line.strip() for line in RIGHT["a lambda"][1].splitlines() if "as_value =" not in line},
    "stored local derivatives": {"class Arithmetic(Value):"},
}


@pytest.mark.parametrize("form", RIGHT)
def test_right_answer_is_saved_in_any_form(notebook, form):
    name, text = RIGHT[form]
    text = textwrap.dedent(text).strip("\n")
    again = f'loading.load("99"); {passed(name)}'
    *_, verdict, file, again = notebook.tried("from autograd import Value", text, passed(name), SHOW, again)
    assert verdict.startswith(f"✓ {name}: yes.") and is_kept(verdict), verdict
    assert IN_THE_FILE[form] in file
    assert {line.strip() for line in text.split("\n") if not line.startswith("def ")} - {
        line.strip() for line in file.split("\n")
    } <= NOT_IN_THE_FILE.get(form, set())
    assert again.endswith("It is in my_engine.py.")
