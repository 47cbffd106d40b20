"""Judge a pass: find a write that no edge explains, one that is missing, or a node read too early."""

import itertools
import math
from dataclasses import dataclass

from autograd.errors.messages import show
from exercises.explaining.reference_graph import alike, as_number
from exercises.explaining.shadow_run import recorded_makers
from exercises.explaining.watched import Line


@dataclass(frozen=True)
class Write:
    """`grad` of a node, by its place in the graph, goes from before to after, by a line of code.

    along: (consumer, edge), if one fits. seen: the places of the nodes whose grads that line has read for it.
    """

    node: int
    before: float
    after: float
    line: Line
    along: tuple = ()
    seen: frozenset = frozenset()


@dataclass(frozen=True)
class Finding:
    """The first thing that is wrong. kind: "forward", "graph", "rule", "early", "missing" or "raised".

    write: the index of the write in the list, or None. lines: code that made it, the write's own line first.
    expected: the contribution of the edge that the write belongs to, if there is one.
    """

    kind: str
    says: str
    write: int | None = None
    lines: tuple = ()
    expected: float | None = None


def told_apart(one, other):
    """Return two numbers as text, with enough digits to tell them apart."""
    texts = [show(one), show(other)]
    return texts if texts[0] != texts[1] or one == other else [repr(one), repr(other)]


def by_way_of(lines):
    return ", by way of ".join(line.with_owner for line in lines)


def judge(found, noted, watch, ended):
    """Go through the writes, and note the first that is wrong."""
    last, place = len(found.nodes) - 1, {id(node): i for i, node in enumerate(found.nodes)}
    left = {}  # (consumer, edge): the contribution that is still to come
    for i, (inputs, slopes) in enumerate(zip(found.inputs, found.locals)):
        for edge, (input, local) in enumerate(zip(inputs, slopes)):
            left[i, edge] = input, None if None in (local, found.truth[i]) else local * found.truth[i]
    edges = {key: input for key, (input, _) in left.items()}
    grads, latest = [0.0] * (last + 1), {node: event for event, (node, *_) in enumerate(noted)}
    for event, (node, before, after, line, read) in enumerate(noted):
        number = as_number(after)
        seen = frozenset(place[id(each)] for each in read if id(each) in place)
        old = 0.0 if before is None else as_number(before)
        quiet = number == 0.0 == old and not seen  # all grads are set to 0 first, for instance
        along = () if quiet or number is None or old is None else allowed(left, edges, node, old, number, seen)
        found.writes.append(Write(node, old, number, line, along[0] if along else (), seen))
        if found.finding is None:
            idle = number == 0.0 == old and not (
                too_early(found, node, seen, left, grads) or dropped(found, node, seen, left, grads)
            )
            unknown = any(input == node and c is None for input, c in left.values())
            fits = along or idle or unknown or (node == last and number == found.truth[last])
            later = {node for node, last_event in latest.items() if last_event > event}
            found.finding = None if fits else wrong(found, len(found.writes) - 1, left, grads, watch, later)
            for each in along:
                left.pop(each, None)
        if number is not None:
            grads[node] = number
        if number == 0.0 == old and not (found.finding and found.finding.write == len(found.writes) - 1):
            found.writes.pop()  # it changed nothing, and had nothing to change
    if found.finding is None and ended:
        found.finding = Finding("raised", ended, None, ())
    if found.finding is None:
        found.finding = missing(found, left, grads)
    elif ended and found.finding.kind != "raised":
        found.finding = Finding(
            found.finding.kind, f"{found.finding.says} {ended}", found.finding.write, found.finding.lines
        )


def too_early(found, node, seen, left, grads):
    """Return the consumer whose gradient a line read for a node before it was complete, or None."""
    for (consumer, _), (input, c) in left.items():
        if input == node and c and consumer in seen and not alike(grads[consumer], found.truth[consumer]):
            return consumer
    return None


def dropped(found, node, seen, left, grads):
    """Return whether a line read a consumer's complete gradient, and no other, but wrote none of its contribution."""
    brings = [c for (consumer, _), (input, c) in left.items() if input == node and consumer in seen and c]
    return bool(brings) and all(alike(grads[each], found.truth[each]) for each in seen - {node})


def allowed(left, edges, node, old, number, seen):
    """Return the edges whose contributions take a node's gradient from an old number to a new one; () if none do.

    edges: {(consumer, edge): node}, all there are. One edge; or several, of consumers whose gradients were read.
    """
    coming = [(key, c) for key, (input, c) in left.items() if input == node and c is not None]
    if any(input == node for (consumer, _), input in edges.items() if consumer in seen):
        coming = [each for each in coming if each[0][0] in seen]  # the line has read which consumer it adds for
    for key, c in coming:
        if is_accumulated(old, c, number):
            return [key]
    groups = [[consumer] for consumer in seen] + [sorted(seen)]
    for group in groups:
        several = [(key, c) for key, c in coming if key[0] in group]
        for count in range(2, min(len(several), 4) + 1):
            for chosen in itertools.combinations(several, count):
                if is_accumulated(old, sum(c for _, c in chosen), number):
                    return [key for key, _ in chosen]
    if len(coming) > 1 and not seen - {node} and is_accumulated(old, sum(c for _, c in coming), number):
        return [key for key, _ in coming]  # collected elsewhere, and written at once
    return ()


def is_accumulated(old, c, number):
    """Return whether a gradient plus a contribution c is this number; inf stays inf, whatever is added."""
    return alike(number - old, c) or (not math.isfinite(number) and alike(old + c, number))


def wrong(found, event, left, grads, watch, later):
    """Return the Finding for a write that no edge allows. later: the nodes that are written to again."""
    write, names = found.writes[event], found.names
    name, count = names[write.node], event + 1
    if write.after is None:
        return Finding(
            "rule", f"Event {count}, {write.line.with_owner}, put no number into {name}.grad.", event, (write.line,)
        )
    change = write.after - write.before
    begin = (
        f"Event {count}, {write.line.with_owner}, changed {name}.grad from {show(write.before)} "
        f"to {show(write.after)}, by {{}}"
    )
    coming = {key: c for key, (input, c) in left.items() if input == write.node and c is not None}
    for consumer, edge in coming:
        local, upstream = found.locals[consumer][edge], grads[consumer]
        read = consumer in write.seen or not write.seen - {write.node}
        if read and alike(change, local * upstream) and not alike(upstream, found.truth[consumer]):
            more = next((found.names[to] for (to, _), (input, c) in left.items() if input == consumer and c), None)
            return early(found, event, begin.format(show(change)), consumer, upstream, more, consumer in later)
    if not coming:
        says = f"{begin.format(show(change))}; no edge has anything more to bring it."
        return Finding("rule", says, event, (write.line,))
    read = [each for each in coming.items() if each[0][0] in write.seen]
    sources = {consumer for (consumer, _), _ in read or coming.items()}
    alone = write.node in write.seen and 2 * sum(line == write.line for *_, line, _ in watch.noted) < len(watch.noted)
    if not read and alone:  # it adds, and does not serve all nodes: so it belongs to a rule, whichever edge is meant
        says = f"{begin.format(show(change))}; no edge brings that, and the line reads no gradient but {name}.grad."
        return Finding("rule", says, event, (write.line,))
    if len(sources) > 1 or not all(alike(grads[each], found.truth[each]) for each in sources):
        in_all, change = told_apart(sum(c for _, c in read or coming.items()), change)
        says = (
            f"{begin.format(change)}; its edges bring {in_all} in all. Which of them is wrong cannot be told from it."
        )
        return Finding("rule", says, event, ())
    (consumer, _), c = (read or list(coming.items()))[0]
    change, gives = told_apart(change, c)
    more = len(coming) - 1
    others = f", and {more} other edge{'s' * (more > 1)} still to bring something" if more else ""
    made = tuple(line for line in recorded_makers(watch.made.get(id(found.nodes[consumer]), ())) if line != write.line)
    origin = f" {names[consumer]} was made in {by_way_of(made)}." if made else ""
    says = f"{begin.format(change)}; the chain rule gives {gives} along {name} → {names[consumer]}{others}.{origin}"
    return Finding("rule", says, event, (write.line, *made), c)


def early(found, event, begin, consumer, upstream, more, comes):
    """Return the Finding for a contribution computed from a gradient before that was complete.

    more: the node whose contribution is missing, if known. comes: whether the consumer is written to again.
    """
    name, right = found.names[consumer], found.truth[consumer]
    was, is_ = told_apart(upstream, right)
    without = f", without what comes along {name} → {more}" if more else ""
    if consumer == len(found.nodes) - 1 and upstream == 0:
        why = f"{name}.grad, the root's own, was {show(0.0)}: it has to be 1 before the first rule runs"
    elif comes:
        why = f"{name}.grad was read too early: it was {was}{without}, and has to be {is_}"
    else:
        why = f"{name}.grad was {was} when it was read{without}, and has to be {is_}"
    return Finding("early", f"{begin}. {why}.", event, (found.writes[event].line,))


def missing(found, left, grads):
    """Return the Finding if all writes are right but a contribution is still missing, or None."""
    for (consumer, _), (input, c) in left.items():
        unknown = None in (c, found.truth[input], found.truth[consumer])
        if not unknown and not alike(c, 0.0) and not alike(grads[input], found.truth[input]):
            name, out = found.names[input], found.names[consumer]
            has, right = grads[consumer], found.truth[consumer]
            why = "" if alike(has, right) else f", from {out}.grad, which is {show(has)} and has to be {show(right)}"
            says = f"Nothing came along {name} → {out}: the chain rule gives {show(c)} there{why}."
            return Finding("missing", says)
    return None
