"""Read expressions such as `x*y + 3*x` as text, and run them on an engine's Values. No text is ever evaluated.

    sum     = product { ("+" | "-") product }
    product = signed { ("*" | "/") signed }
    signed  = "-" signed | power
    power   = atom [ "**" signed ]
    atom    = number | name | function "(" sum ")" | "(" sum ")"

with Python's precedence: -x**2 is -(x**2), and 2**3**2 is 2**(3**2).
"""

import math
import re
from dataclasses import dataclass

from autograd import Value
from autograd.operations import FUNCTIONS, RUN
from autograd.value import as_value

LENGTH = 200  # characters of an expression
DEPTH = 30  # nested parentheses, signs and powers
NAMES = 8  # different names: one slider each
NAME_LENGTH = 12  # characters of a name, as many as fit into a node of a drawing

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([^\W\d]\w*)|(\*\*|.))", re.DOTALL)

KINDS = ("number", "name", "sign")  # the three groups of TOKEN

INSTEAD = {  # for characters that people write
    "^": "a power is written **, as in x**2",
    "×": "write * for a product",
    "·": "write * for a product",
    "−": "write - for minus",
    "–": "write - for minus",
    "÷": "write / for a quotient",
    "=": "a name gets its number from its slider",
    ",": "a function here has one input, and a decimal point is a point, as in 0.5",
    ".": "a function is written before its input: tanh(x)",
    "²": "a power is written **, as in x**2",
    "[": "use round parentheses",
    "]": "use round parentheses",
    "{": "use round parentheses",
    "}": "use round parentheses",
}


class Fault(ValueError):
    """An error in an expression: a sentence, and `at` which character (the first is 0)."""

    def __init__(self, sentence, text, at):
        super().__init__(f"{sentence}\n    {one_line(text)}\n    {' ' * at}^")
        self.sentence, self.at = sentence, at


@dataclass(frozen=True)
class Token:
    """A number, a name, an operator or a parenthesis ("sign"), or the end: its kind, its text, and where it begins."""

    kind: str
    text: str
    at: int


@dataclass(frozen=True)
class Term:
    """A part of an expression: op "number", "name", "neg", + - * / **, or a function; its operands; its place."""

    op: str
    parts: tuple
    at: int


def parse(text):
    """Return the Term that a text stands for, or raise a Fault."""
    if not isinstance(text, str):
        raise TypeError(f"an expression is a string, such as 'x*y + 3*x'; got {type(text).__name__}.")
    if len(text) > LENGTH:
        raise Fault(f"An expression has at most {LENGTH} characters here; this has {len(text)}.", text[:LENGTH], LENGTH)
    return Parser(text).whole()


def names(term):
    """Return the names in an expression, in the order in which they first occur."""
    found = [term.parts[0]] if term.op == "name" else []
    if term.op not in ("name", "number"):
        for inner in term.parts:
            found += names(inner)
    return list(dict.fromkeys(found))


def build(term, leaves):
    """Return the Value of an expression. leaves: a Value for each name.

    Operations between plain numbers give numbers, as in Python: 2*3*x is 6*x, and a number next to a name becomes a
    leaf without a label. An input that an op cannot take raises that op's own ValueError or ZeroDivisionError.
    """
    return as_value(run(term, leaves))


def run(term, leaves):
    """Return a Value, or a float if no name is involved."""
    if term.op == "number":
        return term.parts[0]
    if term.op == "name":
        return leaves[term.parts[0]]
    inputs = [run(inner, leaves) for inner in term.parts]
    made = RUN[term.op](as_value(inputs[0]), *inputs[1:])
    return made if any(isinstance(input, Value) for input in inputs) else made.data


def one_line(text):
    """Return a text as one line of the same length, so that places in it stay the same."""
    return "".join(c if c.isprintable() else " " for c in text)


class Parser:
    """A parser that reads a text from left to right by the grammar above, one token ahead."""

    def __init__(self, text):
        self.text, self.tokens, self.place, self.depth, self.known = text, tokens(text), 0, 0, []

    @property
    def token(self):
        return self.tokens[self.place]

    def fault(self, sentence, token=None):
        return Fault(sentence, self.text, (token or self.token).at)

    def accept_sign(self, *signs):
        """Take the next token and return it if it is one of these signs; otherwise return None."""
        if self.token.kind == "sign" and self.token.text in signs:
            self.place += 1
            return self.tokens[self.place - 1]
        return None

    def whole(self):
        if self.token.kind == "end":
            raise self.fault("Type an expression, such as x*y + 3*x.")
        term = self.sum()
        if self.token.kind != "end":
            raise self.fault(self.unexpected(self.token))
        return term

    def sum(self):
        return self.chain(self.product, "+", "-")

    def product(self):
        return self.chain(self.signed, "*", "/")

    def chain(self, inner, *signs):
        """Parse terms with these operators between them, grouped from the left."""
        term = inner()
        while sign := self.accept_sign(*signs):
            term = Term(sign.text, (term, inner()), sign.at)
        return term

    def signed(self):
        if sign := self.accept_sign("-"):
            self.deeper(sign)
            term = Term("neg", (self.signed(),), sign.at)
            self.depth -= 1
            return term
        return self.power()

    def power(self):
        base = self.atom()
        if sign := self.accept_sign("**"):
            self.deeper(sign)
            base = Term("**", (base, self.signed()), sign.at)
            self.depth -= 1
        return base

    def atom(self):
        token = self.token
        if token.kind == "number":
            self.place += 1
            return Term("number", (self.finite(token),), token.at)
        if token.kind == "name":
            self.place += 1
            return self.function(token) if self.is_call() or token.text in FUNCTIONS else self.name(token)
        if self.accept_sign("("):
            return self.inside(token)
        raise self.fault(self.missing(token))

    def inside(self, opened):
        self.deeper(opened)
        if self.token.kind == "sign" and self.token.text == ")":
            raise self.fault("There is nothing between these parentheses.")
        term = self.sum()
        if not self.accept_sign(")"):
            if self.token.kind == "end":
                raise self.fault("This parenthesis is not closed.", opened)
            raise self.fault(self.unexpected(self.token))
        self.depth -= 1
        return term

    def is_call(self):
        return self.token.kind == "sign" and self.token.text == "("

    def function(self, name):
        if name.text not in FUNCTIONS:
            raise self.fault(f"There is no function {cut(name.text)}. There are {', '.join(FUNCTIONS)}.", name)
        if not (opened := self.accept_sign("(")):
            raise self.fault(f"{name.text} is a function: write {name.text}(x).", name)
        return Term(name.text, (self.inside(opened),), name.at)

    def name(self, token):
        if len(token.text) > NAME_LENGTH:
            raise self.fault(f"A name has at most {NAME_LENGTH} characters here.", token)
        if token.text not in self.known:
            self.known.append(token.text)
        if len(self.known) > NAMES:
            raise self.fault(f"There is room for {NAMES} different names; {token.text} is one too many.", token)
        return Term("name", (token.text,), token.at)

    def finite(self, token):
        number = float(token.text)
        if math.isinf(number):
            raise self.fault("The largest number here is about 1.8e308.", token)
        return number

    def deeper(self, token):
        self.depth += 1
        if self.depth > DEPTH:
            raise self.fault(f"Parentheses, minus signs and powers go at most {DEPTH} deep here.", token)

    def missing(self, token):
        """Return the sentence for a missing number, name or parenthesis."""
        if token.kind == "sign" and token.text in INSTEAD:
            return self.unexpected(token)
        if token.kind == "sign" and token.text not in RUN and token.text != ")":
            return self.unexpected(token)
        before = f"After {self.tokens[self.place - 1].text} comes" if self.place else "An expression starts with"
        instead = "; here the text ends" if token.kind == "end" else f", not {token.text}"
        return f"{before} a number, a name or an opening parenthesis{instead}."

    def unexpected(self, token):
        """Return the sentence for a token where an expression should end or go on."""
        shown = cut(token.text) if token.text.isprintable() else f"The character U+{ord(token.text[0]):04X}"
        if token.kind == "sign" and token.text in INSTEAD:
            return f"{shown} is not understood: {INSTEAD[token.text]}."
        if token.kind == "sign" and token.text == ")":
            return "This parenthesis was never opened."
        if token.kind in ("number", "name") or token.text == "(":
            return f"An operator such as * is missing before {shown}."
        return f"{shown} is not understood: an expression is made of names, numbers, + - * / ** and parentheses."


def cut(text):
    return text if len(text) <= 20 else f"{text[:19]}…"


def tokens(text):
    """Return the tokens of a text, and the end; white space separates them and means nothing else."""
    found, place, end = [], 0, len(text.rstrip())
    while place < end:
        match = TOKEN.match(text, place)
        kind, taken, at = KINDS[match.lastindex - 1], match[match.lastindex], match.start(match.lastindex)
        while kind == "name" and not taken.isidentifier():  # x²: the regular expression takes ² for a digit
            taken = taken[:-1]
            if not taken:
                kind, taken = "sign", match[match.lastindex][0]
        found.append(Token(kind, taken, at))
        place = at + len(taken)
    return [*found, Token("end", "", end)]
