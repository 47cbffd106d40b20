"""Follow the gradients of one optimizer: accumulated, cleared, clipped, unscaled, used by a step."""

import contextlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field

SMALL = 1e-5  # times the largest gradient: below it is the rounding error of a gradient that is truly 0
FULL_BYTES = 4  # of a number: the norm of shorter ones could overflow


@dataclass(frozen=True)
class BackwardPass:
    """One backward pass: the lines that led to it, what it reached, and whether its loss is a mean, and times what."""

    site: tuple
    reached: frozenset
    kind: str
    factor: float


@dataclass
class Ledger:
    """The account of one optimizer. Its counts are what the readings are made of."""

    torch: object
    optimizer: object
    steps: int = 0
    attempts: int = 0  # steps, and those that a scaler skipped
    carried: int = 0  # steps whose gradient had an earlier step's gradient in it
    wiped: int = 0  # steps for which the gradient had been cleared after its backward pass
    stale: int = 0  # steps with the gradient that the step before had used already
    empty: int = 0  # steps without any gradient or backward pass
    fates: dict = field(default_factory=lambda: defaultdict(Counter))  # {site: {"used": n, "thrown away": n}}
    accumulations: list = field(default_factory=list)  # (passes of one site, "divided" or …) per step
    clips: Counter = field(default_factory=Counter)
    scaler: Counter = field(default_factory=Counter)
    early: int = 0  # steps of a scheduler before any of the optimizer
    schedule: int = 0
    rates: list = field(default_factory=list)
    reached: set = field(default_factory=set)  # ids of parameters that a backward pass has reached
    moved: set = field(default_factory=set)
    stuck: Counter = field(default_factory=Counter)  # {id: steps at which a gradient did not move it}
    at_rest: Counter = field(default_factory=Counter)  # {id: the same, with a learning rate of 0}
    pending: list = field(default_factory=list)  # the passes whose gradients wait for a step
    spent: bool = False  # whether a step has used what stands in the gradients
    mixed: bool = False  # whether an earlier step's gradient is in the present one
    scaled: int = 0  # losses that were scaled since the last step
    unscaled: bool = False
    left: bool = False  # whether a backward pass that has begun would add to a gradient that was used
    uncounted: int = 0  # steps that run their passes within a closure, or within a backward pass
    in_closure: bool = False
    counted: bool = False  # whether the step at hand is in `carried` already: a closure runs several passes
    mark: tuple = (None, 0)
    touched: bool = False  # whether the gradients had been changed before the mark was set again
    probe: object = None  # the parameter whose gradient stands for all, where one may have been changed
    flat: list = ()
    ids: frozenset = frozenset()
    before: list = ()

    def __post_init__(self):
        self.began = bool(self.optimizer.state) or getattr(self.optimizer, "_opt_called", False)

    @property
    def parameters(self):
        """Return the optimizer's parameters as they are now: a group may have been added."""
        count = sum(len(group["params"]) for group in self.optimizer.param_groups)
        if count != len(self.flat):
            self.flat = [p for group in self.optimizer.param_groups for p in group["params"]]
            self.ids = frozenset(map(id, self.flat))
        return self.flat

    def live(self):
        """Return [(parameter, gradient)] of those that have one."""
        return [(p, g) for p in self.parameters for g in [p.grad] if g is not None]

    def signature(self):
        """Return one small gradient and how often it has been changed."""
        if self.probe is None or self.probe.grad is None:
            self.probe = min((p for p, _ in self.live()), key=lambda p: p.numel(), default=None)
        found = None if self.probe is None else self.probe.grad
        return found, 0 if found is None else found._version

    def changed(self):
        """Return whether somebody else has written into the gradients, or replaced them."""
        found, version = self.signature()
        return self.touched or found is not self.mark[0] or version != self.mark[1]

    @contextlib.contextmanager
    def own_change(self):
        """Leave out what a clip or a scaler writes into the gradients, but not what came before."""
        self.touched = self.changed()
        yield
        self.mark = self.signature()

    def set_mark(self):
        self.mark, self.touched = self.signature(), False

    def sizes(self, live):
        """Return the norm of each gradient."""
        dense = [g._values() if g.is_sparse else g for _, g in live]
        dense = [g if g.element_size() >= FULL_BYTES else g.float() for g in dense]
        norms = self.torch._foreach_norm(dense) if dense else []
        if len({(norm.device, norm.dtype) for norm in norms}) > 1:
            return [float(norm) for norm in norms]
        return self.torch.stack(norms).tolist() if norms else []

    def is_clear(self):
        """Return whether all gradients are None or 0."""
        live = self.live()
        return not live or not any(self.sizes(live))

    def begin_backward(self):
        """Find out whether the gradients were cleared, or still contain what a step has used."""
        self.left = False
        if not (self.pending or self.spent or self.mixed):
            return
        if (self.spent or self.changed()) and self.is_clear():
            for each in self.pending:
                self.fates[each.site]["thrown away"] += 1
            self.pending, self.mixed = [], False
        else:
            self.left = self.spent

    def end_backward(self, made):
        """Note a backward pass, if it has reached parameters of this optimizer."""
        reached = made.reached & self.ids
        if not reached:
            return
        self.reached |= reached
        self.mixed, self.spent = self.mixed or self.left, False
        if self.in_closure:
            self.carried += self.mixed and not self.counted
            self.counted, self.mixed, self.spent = self.counted or self.mixed, False, True
        self.pending.append(BackwardPass(made.site, reached, made.kind, made.factor))
        self.set_mark()

    def clip(self, limit, scale):
        """Note that gradients are clipped to a limit; scale: of the scaler in use."""
        self.clips["calls"] += 1
        if not self.pending and (not self.changed() or self.is_clear()):
            self.clips["too early"] += 1
        elif self.scaled and not self.unscaled and not limit >= scale > 1:
            self.clips["before unscale_"] += 1

    def begin_step(self, closure, by_scaler):
        """Note a step that begins. Return the norms of the gradients, by parameter."""
        self.attempts += 1
        self.in_closure, self.counted = closure, False
        self.rates.append(max(float(group.get("lr", 1)) for group in self.optimizer.param_groups))
        candidates = [p for p in self.parameters if id(p) not in self.moved and p.requires_grad]
        live = [] if closure else self.live()
        sizes = dict(zip([id(p) for p, _ in live], self.sizes(live)))
        least = SMALL * max(sizes.values(), default=0)
        self.before = [(p, p.detach().clone()) for p in candidates if closure or sizes.get(id(p), 0) > least]
        if closure:
            self.pending, self.spent = [], bool(self.steps)
            return {}
        clear = not any(sizes.values())
        if not self.pending:
            self.stale += not clear and self.spent and not self.changed()
            self.empty += clear
        elif clear and (not live or self.changed()):
            self.wiped += 1
        else:
            self.carried += self.mixed
            self.use(accumulated=True)
            if by_scaler:
                self.scaler["loss not scaled"] += not self.scaled
            else:
                self.scaler["not unscaled"] += bool(self.scaled and not self.unscaled)
        return sizes

    def use(self, accumulated=False):
        for each in self.pending:
            self.fates[each.site]["used"] += 1
        if accumulated and self.pending:
            (site, _), many = Counter((each.site, each.reached) for each in self.pending).most_common(1)[0]
            those = [each for each in self.pending if each.site == site]
            self.accumulations.append((many, self.divided(those[-1], many) if many > 1 else "one pass"))

    def divided(self, last, many):
        """Return whether a loss that is accumulated `many` times is divided."""
        if self.changed():
            return "changed by hand"
        if last.kind == "sum" or last.factor <= 1.5 / many:
            return "divided" if last.kind != "sum" else "sums"
        return "not divided" if last.kind == "mean" else "not known"

    def end_step(self):
        self.steps += 1
        rates = {id(p): float(group.get("lr", 1)) for group in self.optimizer.param_groups for p in group["params"]}
        for p, old in self.before:
            if not self.torch.equal(p.detach(), old):
                self.moved.add(id(p))
            elif not self.in_closure:
                (self.stuck if rates[id(p)] > 0 else self.at_rest)[id(p)] += 1
        self.close()

    def close(self):
        """End the account of a step, taken or skipped."""
        self.pending, self.before, self.in_closure = [], (), False
        self.spent, self.unscaled, self.scaled = True, False, 0
        self.set_mark()
