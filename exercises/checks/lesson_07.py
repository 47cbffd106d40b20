"""The checks of lesson 07: a backward pass whose leaves add up, four training loops to mend, and a law for a chain."""

import functools
import random
from dataclasses import dataclass, replace

from autograd import Module, Value, sum_of_squares, topological_order
from autograd.dual import Dual
from exercises import parts
from exercises.cases import OPERATIONS, cases, same
from exercises.diagnosis import mistake_of
from exercises.grading import called, engine_fault, exercise, kind, number_of, wrong
from exercises.guard import Trouble, Unfinished, trying
from exercises.verdict import Mistake

SECOND, POLICIES, BATCHES = "A second backward pass", "Three policies", "Two mini-batches"
LOOP, CHAIN, BREAK = "A loop of four steps", "A chain of k nodes", "Break it: no zero_grad"


def stage_class():
    """A fresh Value of the engine as it is when the lesson begins: with the backward() of lesson 05."""
    return parts.fresh("backward")


# A backward pass whose leaves add up

KINDS = "+", "*", "**", "v+n", "n*v", "tanh"


@dataclass(frozen=True)
class Passes:
    """Some backward passes, one after the other, over the graph of a Case: their roots by name, and this in words."""

    roots: tuple
    words: str

    def text(self, case):
        """The passes as lines of Python."""
        return "\n".join([case.text(), *(f"{root}.backward()" for root in self.roots)])

    def observed(self, case, make, run):
        """{name: grad} of the last root's graph after the passes; `run(root)` is one pass."""
        nodes, what = case.run(make), "; ".join(self.text(case).splitlines())
        with trying(what):
            for root in self.roots:
                run(nodes[root])
        return {name: number_of(nodes[name], "grad", what) for name in self.reached(case)}

    def reached(self, case):
        """The names of leaves and steps that the last root depends on, and its own."""
        wanted = {self.roots[-1]}
        for name, _, operands in reversed(case.steps):
            wanted |= set(operands) if name in wanted else set()
        return [name for name in names_of(case) if name in wanted]

    def right(self, case):
        """{name: grad} as it should be: of a leaf the sum over all passes, of another node what the last one gives."""
        leaves = [name for name, _ in case.leaves]
        each = [{name: slope(case, root, name) for name in self.reached(case)} for root in self.roots]
        return {name: sum(s[name] for s in each) if name in leaves else each[-1][name] for name in each[-1]}


def names_of(case):
    """The names of a case's leaves and steps, in order."""
    return [name for name, *_ in (*case.leaves, *case.steps)]


def slope(case, root, at):
    """∂root/∂at for two named nodes of a case, by dual numbers."""
    known = {name: Dual(number, float(name == at)) for name, number in case.leaves}
    for name, operation, operands in case.steps:
        made = OPERATIONS[operation](*(known[o] if isinstance(o, str) else o for o in operands))
        known[name] = Dual(made.value, 1.0) if name == at else made  # nudged by itself
        if name == root:
            break
    return known[root].derivative


def passes_of(case):
    """What a backward pass is tried with: two passes over one graph, two losses that share nodes, three passes."""
    root, half = case.root, case.steps[len(case.steps) // 2][0]
    return (
        Passes((root,), "after one pass"),
        Passes((root, root), "after two passes over one graph"),
        Passes((half, root), f"after a pass from {half} and one from {root}, which share nodes"),
        Passes((root, root, root), "after three passes over one graph"),
    )


@functools.cache
def expected():
    """[(case, Passes, {name: grad})] of all tests, by kind of test."""
    steep = [case for case in cases(KINDS, 40, 7) if all(abs(g) > 1e-3 for g in case.gradients().values())]
    tests = [(case, passes_of(case)) for case in steep[:24]]
    return [(case, group[i], group[i].right(case)) for i in range(4) for case, group in tests]


def between(root, node):
    """Whether a node has inputs."""
    return bool(node._prev)


def own_rule(root, node):
    """A node's turn: its rule."""
    node._backward()


def policy(clear=between, start=lambda root: 1.0, turn=own_rule, after=None):
    """One backward pass: old grads cleared where `clear` says so, the root's grad, each node's turn, and the end."""

    def run(root):
        order = topological_order(root)
        old = {node: node.grad for node in order}
        for node in order:
            if clear(root, node):
                node.grad = 0.0
        root.grad = start(root)
        for node in reversed(order):
            turn(root, node)
        if after:
            after(order, old)

    return run


def rule_after_clearing(root, node):
    """A turn that first wipes what has arrived; the root keeps its 1."""
    node.grad = float(node is root)
    node._backward()


def rule_but_the_roots(root, node):
    """A turn that passes the root over."""
    if node is not root:
        node._backward()


def rule_after_clearing_any(root, node):
    """The same, and the root's 1 is wiped too."""
    node.grad = 0.0
    node._backward()


def put_back(order, old):
    """Set the leaves' grads to the old ones."""
    for node in order:
        if not node._prev:
            node.grad = old[node]


def add_old(order, old):
    """Add the leaves' old grads."""
    for node in order:
        if not node._prev:
            node.grad += old[node]


def clear_between(order, old):
    """Set the grads of all nodes but the leaves to 0."""
    for node in order:
        if node._prev:
            node.grad = 0.0


def clear_all(order, old):
    """Set all grads to 0."""
    for node in order:
        node.grad = 0.0


NOTHING = Mistake(
    "no old gradient is cleared",
    "The nodes in between still hold what the last pass left, and pass it on again with the new.",
    "07",
    SECOND,
)
ALL = Mistake(
    "the leaves are cleared too",
    "The gradient of the last pass is right, but what the passes before it left in the leaves is lost.",
    "07",
    BATCHES,
)
ROOT_GROWS = Mistake(
    "the root's gradient grows",
    "The root began with its old 1 and got another. It is a node like those in between: it begins anew, with 1.",
    "07",
    POLICIES,
)
NOT_BETWEEN = Mistake(
    "the leaves are cleared, the nodes in between are not",
    "It is the other way round: the leaves keep what they have, the nodes with inputs begin at 0.",
    "07",
    POLICIES,
)

AT_ITS_TURN = Mistake(
    "a node is cleared at its own turn",
    "By then its consumers have added their shares, and these are lost. Clear all nodes before the first turn.",
    "05",
    "A node waits for its consumers",
)

PASS_MISTAKES = (
    (policy(clear=lambda root, node: True), ALL),
    (policy(clear=lambda root, node: False), NOTHING),
    (policy(clear=lambda root, node: not node._prev), NOT_BETWEEN),
    (
        policy(
            clear=lambda root, node: bool(node._prev) and node is not root,
            start=lambda root: root.grad + 1,
        ),
        ROOT_GROWS,
    ),
    (
        policy(clear=lambda root, node: False, start=lambda root: root.grad + 1),
        replace(
            ROOT_GROWS,
            name="no old gradient is cleared, the root's neither",
            sentence="Every node but the leaves begins anew: those in between with 0, the root with 1.",
        ),
    ),
    (
        policy(clear=lambda root, node: node in root._prev and bool(node._prev)),
        Mistake(
            "only the root's own inputs are cleared",
            "Nodes further away hold old gradients as well. Clear every node in the order that has inputs.",
            "07",
            POLICIES,
        ),
    ),
    (
        policy(clear=lambda root, node: True, after=put_back),
        Mistake(
            "the old gradients are put back in place of the new ones",
            "What this pass found in the leaves was overwritten. The old gradients are to be added to it.",
            "07",
            BATCHES,
        ),
    ),
    (
        policy(after=add_old),
        Mistake(
            "old gradients counted twice",
            "The leaves kept their old gradients during the pass, and then these were added once more.",
            "07",
            BATCHES,
        ),
    ),
    (
        policy(after=clear_between),
        Mistake(
            "cleared at the end of the pass",
            "The leaves are right. But the nodes in between should show this pass's gradient, so clear them at the "
            "start of a pass.",
            "07",
            POLICIES,
        ),
    ),
    (policy(start=lambda root: 0.0), mistake_of("M10")),
    (
        policy(after=clear_all),
        Mistake("everything is cleared at the end", "The pass has found its gradients, and then they are wiped."),
    ),
    (policy(clear=lambda root, node: False, turn=rule_after_clearing), AT_ITS_TURN),
    (policy(clear=lambda root, node: False, turn=rule_after_clearing_any), AT_ITS_TURN),
    (
        policy(turn=rule_but_the_roots),
        Mistake("the root's own rule is not called", "It comes first, and passes the 1 on to the root's inputs."),
    ),
    (
        policy(clear=lambda root, node: len(node._prev) > 1),
        Mistake(
            "nodes with one input are not cleared",
            "tanh and ** make nodes in between as well: what tells a leaf is that it has no input at all.",
            "07",
            POLICIES,
        ),
    ),
)


@functools.cache
def mistaken(number):
    """What a mistaken pass leaves in all tests."""
    make = stage_class()
    return [passes.observed(case, make, PASS_MISTAKES[number][0]) for case, passes, _ in expected()]


def alike(one, other):
    """Whether the same names have the same grads."""
    return all(same(one[name], other[name]) for name in other)


LEAF_NOTE = "One note: `a.backward()` on a leaf by itself sets a.grad to 1 each time; PyTorch adds 1."


@exercise
def accumulate(backward, zero_grad):
    """Passes over one graph, and over losses that share nodes, with this method; and leaves that are to begin anew."""
    for name, given in (("backward", backward), ("zero_grad", zero_grad)):
        if not callable(given) or isinstance(given, type):
            expected = f"A function was expected, as in check.accumulate(backward, zero_grad); it is {kind(given)}."
            raise Trouble(f"Tested: {name}.", expected)
    Mine = stage_class()
    Mine.backward = backward
    if (fault := passes_fault(Mine)) is not None and not isinstance(fault, str):
        return fault
    if (not_zero := zeroing_fault(Mine, zero_grad)) is not None:
        return not_zero
    return (
        fault
        or "24 random graphs: two passes double the leaves, three treble them, and losses that share nodes add up."
    )


NONE = Mistake(
    "None in place of 0",
    "PyTorch does that. Here the next pass adds to `grad` with +=, and None + a number is an error: set 0.0.",
    "07",
    "Beside PyTorch",
)
UNTOUCHED = Mistake(
    "every grad is what it was",
    "What is to be set is `p.grad`, for each p in the list. `p = 0.0` only gives the name p another meaning.",
)
ONLY_FIRST = Mistake(
    "only the first leaf begins anew", "Does the function end in its first round, by a `return` in the loop?"
)
ONLY_LAST = Mistake("only the last leaf begins anew", "Does the line that sets 0 stand inside the loop?")
LIST_CHANGED = Mistake(
    "the list is changed", "The list and the leaves in it are the caller's and stay as they are. Set their `grad`."
)


def zeroing_fault(Mine, zero_grad):
    """What is wrong with a learner's zero_grad, as a `wrong(…)`; None where all is right."""
    says = "backward is right."
    for names in ("abc", "a", ""):
        leaves = [Mine(1.5 + i) for i in range(len(names))]
        for i, leaf in enumerate(leaves):
            leaf.grad = 2.0 + i
        before, given, call = kept(leaves), list(leaves), f"zero_grad([{', '.join(names)}])"
        try:
            with trying(call):
                zero_grad(given)
        except Unfinished:
            raise Unfinished(f"{says} Still to write: zero_grad.") from None
        after, is_same = kept(leaves), [*map(id, given)] == [*map(id, leaves)]
        rows = [(f"{name}.grad", 0.0, grad) for name, (_, grad) in zip(names, after) if not is_zero(grad)]
        rows += [(f"{name}.data", old, new) for name, (old, _), (new, _) in zip(names, before, after) if new != old]
        if len(given) != len(leaves):
            rows = [("leaves in the list", len(leaves), len(given))]
        if rows or not is_same:
            grads = f"{', '.join(f'{name}.grad' for name in names)} = {', '.join(str(grad) for _, grad in before)}\n"
            known = zeroing_mistakes(before, after) if is_same else [LIST_CHANGED]
            return wrong(says, "zero_grad is not.", case=f"{grads * bool(names)}{call}", rows=rows, mistakes=known)
    return None


def kept(leaves):
    """[(data, grad)] of leaves as they are now."""
    return [(getattr(leaf, "data", "none at all"), getattr(leaf, "grad", "none at all")) for leaf in leaves]


def zeroing_mistakes(before, after):
    """What makes this of leaves' data and grads, if it is known: a list of one mistake, or none."""
    if all(data == 0 for data, _ in after):
        return [NO_DATA]
    if any(new != old for (old, _), (new, _) in zip(before, after)):
        return []
    if all(grad is None for _, grad in after):
        return [NONE]
    if not all(is_zero(new) or new == old for (_, old), (_, new) in zip(before, after)):
        return []
    cleared = "".join("0" if is_zero(grad) else "-" for _, grad in after)
    known = {"---": UNTOUCHED, "-": UNTOUCHED, "0--": ONLY_FIRST, "--0": ONLY_LAST}
    return [known[cleared]] if cleared in known else []


def is_zero(grad):
    """Whether a grad is the number 0."""
    return isinstance(grad, int | float) and not isinstance(grad, bool) and grad == 0


def passes_fault(Mine):
    """What is wrong with a backward over several passes, as a `wrong(…)`; a note, or None, where it is right."""
    tests, found = expected(), []
    for case, passes, _ in tests:
        found.append(passes.observed(case, Mine, Mine.backward))
    failing = [i for i, (_, _, right) in enumerate(tests) if not alike(found[i], right)]
    if failing:
        return accumulate_fault(failing, found, Mine)
    if (fault := engine_fault(Mine)) is not None and not isinstance(fault, str):
        return fault
    lone = Mine(2.0)
    with trying("a leaf alone: a = Value(2.0); a.backward(); a.backward()"):
        lone.backward()
        lone.backward()
    left = number_of(lone, "grad", "a leaf alone")
    if not (same(left, 2.0) or same(left, 1.0)):
        text = "a = Value(2.0)\na.backward()\na.backward()"
        return wrong("A leaf can be the root, too.", case=text, rows=[("a.grad", 2.0, left)])
    says = "24 random graphs: two passes double the leaves, three treble them, and losses that share nodes add up."
    return None if same(left, 2.0) else f"{says} {LEAF_NOTE}"


def accumulate_fault(failing, found, Mine):
    """The `wrong(…)` for the first failing test, with the mistake that gives these numbers in all tests, or in it."""
    tests, i = expected(), failing[0]
    case, passes, right = tests[i]
    numbers = range(len(PASS_MISTAKES))
    known = [n for n in numbers if all(alike(f, m) for f, m in zip(found, mistaken(n)))]
    if not known and len(passes.roots) == 1 and not alike_leaves(found[i], right, case):
        fault = engine_fault(Mine)  # one pass on a fresh graph is wrong: its order, or a rule
        if fault is not None and not isinstance(fault, str) and fault.mistakes:
            return fault
    known = known or [n for n in numbers if all(alike(found[j], mistaken(n)[j]) for j in failing[:2])]
    rows = [(f"{name}.grad", right[name], got) for name, got in found[i].items() if not same(got, right[name])]
    before = "" if len(passes.roots) == 1 else "One pass on a fresh graph is right. "
    says = f"{before}{passes.words[0].upper()}{passes.words[1:]} a gradient is wrong (test {i + 1} of {len(tests)})."
    return wrong(
        says,
        case=passes.text(case),
        graph=case.graph(),
        rows=rows,
        mistakes=[PASS_MISTAKES[n][1] for n in known[:2]],
    )


def alike_leaves(found, right, case):
    """Whether the leaves' grads are right."""
    return all(same(found[name], right[name]) for name, _ in case.leaves if name in right)


# Four loops

LOOPS = {  # what each loop of the exercise is to do
    "one": "each round one update, by the gradient of all rows in this round",
    "two": "each round one update, by the gradient of all rows in this round",
    "three": "an update for each batch, by the gradient of that batch alone",
    "four": "each round one update, by the sum of the gradients of all its batches",
}
ROUNDS = 3


class Line(Module):
    """The line w·x + b with its learning rate; it keeps the numbers that each update leaves."""

    def __init__(self, w, b, lr):
        self.w, self.b, self.lr, self.history = Value(w, label="w"), Value(b, label="b"), lr, []

    def parameters(self):
        return [self.w, self.b]

    def loss(self, rows):
        """The sum of squares over rows (x, y), as a new graph."""
        return sum_of_squares([self.w * x + self.b for x, _ in rows], [y for _, y in rows])

    def step(self):
        """One update."""
        for parameter in self.parameters():
            parameter.data -= self.lr * parameter.grad
        self.history.append((self.w.data, self.b.data))


@dataclass(frozen=True)
class Start:
    """What a loop is run on: a line's first numbers, its learning rate, and two or three batches of rows (x, y)."""

    w: float
    b: float
    lr: float
    batches: tuple

    def groups(self, name):
        """What the loop of this name goes through in each round: all rows at once, or batch after batch."""
        return self.batches if name in ("three", "four") else (sum(self.batches, ()),)

    def text(self, name):
        """The run as lines of Python."""
        groups = [list(rows) for rows in self.groups(name)]
        given, shown = ("batches", groups) if name in ("three", "four") else ("rows", groups[0])
        return (
            f"model.w, model.b, model.lr = {self.w}, {self.b}, {self.lr}\n{given} = {shown}\n"
            f"{name}(model, {given}, rounds={ROUNDS})"
        )


@functools.cache
def starts():
    """Random Starts: the first with whole numbers."""
    rng, found = random.Random(7), []
    for i in range(5):
        digits = 0 if i == 0 else 1
        rows = [(round(rng.uniform(-2, 2), digits) or 1.0, round(rng.uniform(-3, 3), digits) + 0.0) for _ in range(5)]
        batches = (tuple(rows[:2]), tuple(rows[2:])) if i % 2 == 0 else (tuple(rows[:2]), tuple(rows[2:4]), (rows[4],))
        w, b = (1.0, 0.0) if i == 0 else (round(rng.uniform(-2, 2), 1), round(rng.uniform(-2, 2), 1))
        found.append(Start(w, b, 0.02, batches))
    return tuple(found)


@dataclass(frozen=True)
class Program:
    """A loop as letters: B backward, S step, Z gradients to 0, D parameters to 0; for each group, and round it."""

    each: str
    opening: str = ""
    closing: str = ""
    rounds: int = ROUNDS

    def history(self, start, name):
        """[(w, b) after each update], by plain floats."""
        w, b, dw, db, left = start.w, start.b, 0.0, 0.0, []
        groups = start.groups(name)
        round_of = [(letter, ()) for letter in self.opening]
        round_of += [(letter, rows) for rows in groups for letter in self.each]
        round_of += [(letter, groups[-1]) for letter in self.closing]
        for letter, rows in round_of * self.rounds:
            if letter == "Z":
                dw = db = 0.0
            elif letter == "D":
                w = b = 0.0
            elif letter == "B":
                errors = [w * x + b - y for x, y in rows]
                dw += sum(2 * e * x for e, (x, _) in zip(errors, rows))
                db += sum(2 * e for e in errors)
            else:
                w, b = w - start.lr * dw, b - start.lr * db
                left.append((w, b))
        return left


RIGHT = {"one": Program("ZBS"), "two": Program("ZBS"), "three": Program("ZBS"), "four": Program("B", "Z", "S")}
STUBS = {"one": Program("BS"), "two": Program("BZS"), "three": Program("BS"), "four": Program("ZB", "", "S")}

KEPT = Mistake(
    "old gradients stay in the sum",
    "zero_grad() does not run, or only once, before the loop. The gradients of all earlier rounds then count again in "
    "every update.",
    "07",
    BREAK,
)
WIPED = Mistake(
    "zeroed before the step could use it",
    "Between backward() and step() stands a zero_grad(), so every update is by 0 and no parameter moves.",
    "07",
    LOOP,
)
LATE = Mistake(
    "the step comes before the backward pass",
    "It uses the gradient of the round before, taken where the parameters no longer are; in the first round it uses 0.",
    "07",
    LOOP,
)
NO_DATA = Mistake(
    "the parameters set to 0",
    "What is to be cleared is `grad`. Setting `data` to 0 forgets all that was learnt.",
    "07",
    LOOP,
)
ONE_ROUND = Mistake("one round only", "Is there a `return` in the loop, or is the outer loop gone?")
LAST_BATCH = Mistake(
    "only the last batch counts",
    "Each batch clears what the batches before it left, so the step knows the last one only. Clear once a round.",
    "07",
    BATCHES,
)
ONCE_A_ROUND = Mistake(
    "zeroed once a round",
    "This loop makes an update for each batch. Without zeroing, the second batch's update holds the first's gradient "
    "as well.",
    "07",
    LOOP,
)
EACH_BATCH = Mistake(
    "an update for each batch",
    "This loop was to collect the gradients of all batches first. The step stands after the inner loop.",
    "07",
    BATCHES,
)
PER_ROUND = Mistake(
    "one update a round",
    "This loop was to make an update for each batch. The step stands inside the inner loop.",
    "07",
    LOOP,
)

WHOLE_MISTAKES = (
    (Program("BS"), KEPT),
    (Program("BZS"), WIPED),
    (Program("SZB"), LATE),
    (Program("SB"), LATE),
    (Program("DBS"), NO_DATA),
    (Program("ZBSD"), NO_DATA),
    (Program("BSD"), NO_DATA),
    (Program("BDS"), NO_DATA),
    (Program("ZBS", rounds=1), ONE_ROUND),
)
LOOP_MISTAKES = {
    "one": WHOLE_MISTAKES,
    "two": WHOLE_MISTAKES,
    "three": (
        (Program("BS", "Z"), ONCE_A_ROUND),
        *WHOLE_MISTAKES,
        (Program("B", "Z", "S"), PER_ROUND),
        (Program("ZB", "", "S"), LAST_BATCH),
    ),
    "four": (
        (Program("ZB", "", "S"), LAST_BATCH),
        (Program("B", "", "S"), KEPT),
        (Program("B", "", "ZS"), WIPED),
        (Program("ZBS"), EACH_BATCH),
        (Program("BS", "Z"), EACH_BATCH),
        (Program("BS"), KEPT),
        (Program("B", "D", "S"), NO_DATA),
        (Program("DB", "", "S"), NO_DATA),
        (Program("B", "SZ"), LATE),
        (Program("B", "Z", "S", rounds=1), ONE_ROUND),
    ),
}


def histories(name, loop):
    """What a learner's loop leaves after each update, for each Start."""
    if not callable(loop):
        raise Trouble(f"Tested: {name}.", f"A function was expected; this is {kind(loop)}. Leave out its brackets.")
    found = []
    for start in starts():
        model, groups = Line(start.w, start.b, start.lr), [list(rows) for rows in start.groups(name)]
        given = groups if name in ("three", "four") else groups[0]
        with trying(f"{name}(model, {'batches' if given is groups else 'rows'}, rounds={ROUNDS})"):
            loop(model, given, ROUNDS)
        found.append(model.history)
    return found


def alike_runs(one, other):
    """Whether two lists of histories are the same."""
    return all(
        len(a) == len(b) and all(same(x, y) for p, q in zip(a, b) for x, y in zip(p, q)) for a, b in zip(one, other)
    )


def of(program, name):
    """A Program's histories."""
    return [program.history(start, name) for start in starts()]


@exercise
def place_zero_grad(one, two, three, four):
    """Runs the four loops on small lines and compares all updates with those of plain floats."""
    loops = dict(zip(LOOPS, (one, two, three, four)))
    found = {name: histories(name, loop) for name, loop in loops.items()}
    good = [name for name in LOOPS if alike_runs(found[name], of(RIGHT[name], name))]
    if len(good) == len(LOOPS):
        return f"{len(starts())} lines, {ROUNDS} rounds each: all four loops make the updates they promise."
    if all(alike_runs(found[name], of(STUBS[name], name)) for name in LOOPS):
        raise Unfinished("The four loops do what they did. Mend each, run the cell above, then run this cell again.")
    name = next(name for name in LOOPS if name not in good)
    return loop_fault(name, found[name], len(good))


def loop_fault(name, found, good):
    """The `wrong(…)` for a loop: the first update that is off, and the mistake that gives these updates."""
    right = of(RIGHT[name], name)
    known = [mistake for program, mistake in LOOP_MISTAKES[name] if alike_runs(found, of(program, name))]
    says = [f"{('None', 'One', 'Two', 'Three')[good]} of the four loops {'is' if good == 1 else 'are'} right."]
    says.append(f"`{name}` is not yet. What it is to do: {LOOPS[name]}.")
    start, got, should = next(
        (start, got, should) for start, got, should in zip(starts(), found, right) if not alike_runs([got], [should])
    )
    rows = [("updates", len(should), len(got))] if len(got) != len(should) else []
    for i, (ours, theirs) in enumerate(zip(should, got), start=1):
        rows += [
            (f"{what} after update {i}", x, y) for what, x, y in zip("wb", ours, theirs) if not rows and not same(y, x)
        ]
    return wrong(*says, case=start.text(name), rows=rows, mistakes=known[:1])


# A chain

RESETS = "all", "intermediates", "nothing"
DEPTHS = range(13)


def factor(k, reset):
    """The leaf's gradient after two passes over a chain whose local derivatives are 1, k nodes in between."""
    grads = [0.0] * (k + 2)  # root, nodes in between, leaf
    for _ in range(2):
        for i in range(len(grads)):
            if reset == "all" or (reset == "intermediates" and i < k + 1):
                grads[i] = 0.0
        grads[0] = 1.0
        for i in range(k + 1):
            grads[i + 1] += grads[i]
    return grads[-1]


FACTOR_MISTAKES = {
    "all": (
        (
            lambda k: 2,
            Mistake(
                "leaves that add up",
                "With `all` the leaf's gradient is cleared before the second pass, like every other.",
                "07",
                POLICIES,
            ),
        ),
        (
            lambda k: 0,
            Mistake("cleared, and nothing after it", "It is cleared, and then the second pass runs.", "07", POLICIES),
        ),
        (
            lambda k: k + 2,
            Mistake("the law for `nothing`", "With `all` no old gradient is left that could be passed on."),
        ),
    ),
    "intermediates": (
        (
            lambda k: 1,
            Mistake(
                "a leaf that forgets",
                "With `intermediates` the leaf keeps what it has, and the second pass adds as much again.",
                "07",
                POLICIES,
            ),
        ),
        (
            lambda k: k + 2,
            Mistake(
                "old gradients between",
                "That needs nodes in between that pass on old gradients. Here they begin at 0 again.",
                "07",
                CHAIN,
            ),
        ),
        (
            lambda k: k + 1,
            Mistake("the nodes counted", "However many nodes stand in between, they begin at 0.", "07", CHAIN),
        ),
    ),
    "nothing": (
        (
            lambda k: 2,
            Mistake(
                "the nodes in between forgotten",
                "That is right for k = 0. Each node in between passes its old gradient on as well.",
                "07",
                CHAIN,
            ),
        ),
        (
            lambda k: k + 1,
            Mistake(
                "what the second pass adds",
                "The leaf still holds the 1 of the first pass. The second pass comes on top.",
                "07",
                CHAIN,
            ),
        ),
        (
            lambda k: k + 3,
            Mistake(
                "the root counted in",
                "The root's gradient is set to 1 by each pass. Nothing old goes on from there.",
                "07",
                CHAIN,
            ),
        ),
        (
            lambda k: k,
            Mistake(
                "only the nodes in between",
                "They each add 1. But both passes bring the leaf 1 even where nothing stands in between.",
                "07",
                CHAIN,
            ),
        ),
        (
            lambda k: 2 ** (k + 1),
            Mistake(
                "doubled at every node",
                "A node does not double what arrives. It adds its own old gradient to it, which is 1 here.",
                "07",
                CHAIN,
            ),
        ),
        (
            lambda k: 2**k,
            Mistake(
                "doubled at every node in between",
                "A node does not double what arrives. It adds its own old gradient to it, which is 1 here.",
                "07",
                CHAIN,
            ),
        ),
        (
            lambda k: 2 * (k + 1),
            Mistake("every gradient counted twice", "The second pass adds k + 1; the first one added 1.", "07", CHAIN),
        ),
        (
            lambda k: 3,
            Mistake("the law at k = 1", "3 is right for one node in between. How does it grow with k?", "07", CHAIN),
        ),
        (lambda k: 1, Mistake("as if all were cleared", "Nothing is cleared here, so it is more.", "07", SECOND)),
    ),
}


@exercise
def second_pass(function):
    """Whether a function gives the factor of the second pass for each policy and each length of the chain."""
    if not callable(function):
        raise Trouble("Tested: second_pass.", f"A function was expected; this is {kind(function)}.")
    rng = random.Random(7)
    for reset in RESETS:
        depths = [*DEPTHS, *rng.sample(range(20, 500), 3)]
        found = [called(function, k, reset, what=f'second_pass({k}, "{reset}")') for k in depths]
        failing = [i for i, k in enumerate(depths) if not same(found[i], factor(k, reset))]
        if failing:
            rules = FACTOR_MISTAKES[reset]
            known = [m for rule, m in rules if all(same(got, rule(k)) for got, k in zip(found, depths))]
            k, got = depths[failing[0]], found[failing[0]]
            known = known or [m for rule, m in rules if all(same(found[i], rule(depths[i])) for i in failing[:2])]
            return wrong(
                f"It is not right for the policy `{reset}`.",
                case=f'second_pass({k}, "{reset}")',
                rows=[(f"times the gradient, k = {k}", factor(k, reset), got)],
                mistakes=known[:1],
            )
    return (
        "Right for chains of up to 500 nodes. A deep network without any reset would multiply the gradients of its "
        "first layers the most."
    )
