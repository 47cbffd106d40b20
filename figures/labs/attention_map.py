"""The attention map lab: maps of three names test a claim about a head; then the claim is tested on all names."""

from dataclasses import dataclass

import numpy as np

from autograd.errors import messages
from autograd.errors.messages import show
from figures.graph.stage import BOTTOM, TOP, chart, mistaken, plural, question, readings
from figures.page import arrays, svg
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, choice
from figures.page.picture import labelled
from figures.page.player import Frame, Player, Recording
from figures.page.style import NOT_YET, steady
from figures.page.svg import UNSEEN, visible

NAMES = (  # from among the 949 colour names of the xkcd survey (2010)
    *("apricot", "blood red", "blue grey", "brown", "coral", "cream", "dark red", "dusty pink", "eggshell"),
    *("forest green", "golden rod", "grape", "green", "heather", "ice blue", "indigo", "ivory", "khaki"),
    *("lavender", "light brown", "lime", "magenta", "mango", "marigold", "mustard", "navy", "olive drab"),
    *("orange", "pale grey", "peach", "pink", "plum", "rust brown", "salmon", "sand", "seaweed", "sepia"),
    *("spruce", "tea green", "terracotta", "wheat"),
)
WIDTH, SPREAD = 4, 1.0  # of the queries and keys of the untrained head, the default

SHOWN, LONGEST = 3, 20  # names whose maps are shown, and the most characters that one of these may have
SIDE, LARGEST, HEAD, EDGE = 420, 56, 30, 6  # pixels: a map's side, the largest cell, space for its letters, a margin
WIDEST_TEXT = (  # as long as the longest sentence
    "“light greenish blues”: does each letter look at the first letter of its word? That place is outlined. 20 letters "
    "give it 0.0000 of their attention, on average; equal shares would give 0.0000. In all three it is 0.0000, "
    "and equal "
    "shares would give 0.0000. What will it be over all 1,000 names?"
)
DARKEST = 0.6  # the opacity of a share of 1: its number must be readable on top
ACROSS, UP = svg.Scale(0, 1, 44, 318), svg.Scale(0, 1, BOTTOM, TOP)
EDGES = np.linspace(0, 1, 11)  # of the bins in which shares are counted


def first_of_word(name, place, seen):
    """Return the place of the word's first letter, from its third letter on: for the second it is the one before."""
    start = place
    while start and name[start - 1].isalpha():
        start -= 1
    return [start] if start < place - 1 else []


RULES = {  # where each letter is claimed to look: a function from a name, a place and the places it sees
    "at the first letter of its word": first_of_word,
    "at the letter before": lambda name, place, seen: [place - 1] if place and name[place - 1].isalpha() else [],
    "at itself": lambda name, place, seen: [place],
    "at equal letters before": lambda name, place, seen: [at for at in range(place) if name[at] == name[place]],
    "at vowels": lambda name, place, seen: [at for at in seen if name[at] in "aeiou"],
}
CHOSEN = {"fit best": "the best", "fit worst": "the worst", "come first": "the first"}
INPUTS = Inputs(choice("looks", RULES), choice("chosen", CHOSEN, "the three that"))


@dataclass(frozen=True, eq=False)
class Fit:
    """The support that a name's map, or several, give to a claim.

    there: for each letter that the claim is about, the share that goes where it says. equal: what would go there if all
    the letters that it sees had equal shares. aims: the places (row, column) of one map that the claim means.
    """

    there: np.ndarray
    equal: np.ndarray
    aims: tuple = ()

    @property
    def above(self):
        """The share that goes there beyond equal shares, on average."""
        return float((self.there - self.equal).mean())


def attention_map(
    shares=None, names=None, *, looks="at the first letter of its word", chosen="fit best", predict=False
):
    """Show the attention maps of three names next to a claim about the head, then the mean over all names.

    shares: a map for each name, rows that add up to 1, row i the shares of letter i; or one array of all names in a
    row, with the maps along its diagonal. names: the texts, one character per row. Without them, 41 colour names and an
    untrained head, whose queries and keys are random numbers for each letter. looks: the claim, one of RULES: where
    each letter should look. chosen: which three names are shown, those that "fit best", those that "fit worst", or
    those that "come first". predict: before all names are counted, the learner may type what the mean share will be.
    """
    maps, texts = untrained() if shares is None and names is None else read(shares, names)

    @INPUTS.check
    def record_for(looks, chosen):
        return record(maps, texts, looks, chosen, predict)

    return Player(controls=INPUTS.controls(looks=looks, chosen=chosen), record=record_for)


def untrained():
    signs = sorted(set("".join(NAMES)))
    queries, keys = np.random.RandomState(0).normal(0, SPREAD, size=(2, len(signs), WIDTH))
    maps = []
    for text in NAMES:
        rows = [signs.index(sign) for sign in text]
        powers = np.tril(np.exp(queries[rows] @ keys[rows].T))
        maps.append(powers / powers.sum(axis=1, keepdims=True))
    return maps, NAMES


def read(shares, names):
    """Return the maps, an array for each name, and the names; raise ValueError or TypeError if they do not fit."""
    if shares is None or names is None:
        raise TypeError("attention_map takes both, the maps and the names: attention_map(shares, names).")
    if isinstance(names, str) or not all(isinstance(name, str) and name for name in names):
        raise TypeError(
            f"names is a list of strings such as ['brown', 'pink', 'red']; got {messages.described(names)}."
        )
    names, ends = list(names), np.cumsum([len(name) for name in names]).tolist()
    if getattr(shares, "ndim", 0) == 2 and len(names) > 1:
        whole = arrays.numbers(shares, "shares")
        if whole.shape != (ends[-1], ends[-1]):
            raise ValueError(
                f"the names have {ends[-1]} characters, so shares in one array have the shape "
                f"{(ends[-1], ends[-1])}; got "
                f"{whole.shape}."
            )
        shares = [whole[end - len(name) : end, end - len(name) : end] for name, end in zip(names, ends)]
    if len(shares) != len(names):
        raise ValueError(
            f"there is a map for each name; got {plural(len(names), 'name')} and {plural(len(shares), 'map')}."
        )
    return [read_map(given, name) for given, name in zip(shares, names)], names


def read_map(given, name):
    """Return a name's map as an array; raise ValueError if its rows are not shares."""
    array = arrays.numbers(given, f"the map of {name!r}")
    if array.shape != (len(name), len(name)):
        raise ValueError(f"the map of {name!r} has the shape {(len(name), len(name))}; got {array.shape}.")
    totals = array.sum(axis=1)
    if (array < 0).any() or not np.allclose(totals, 1, atol=1e-4):
        worst = totals[np.abs(totals - 1).argmax()]
        raise ValueError(
            f"each row of a map has shares from 0 up that add up to 1; one of {name!r} adds up to {worst:.4g}."
        )
    return array


# Count


def fit(found, name, looks):
    there, equal, aims = [], [], []
    masked = not np.triu(found, 1).any()
    for place, letter in enumerate(name):
        seen = range(place + 1 if masked else len(name))
        targets = RULES[looks](name, place, seen) if letter.isalpha() and len(seen) > 1 else []
        if 0 < len(targets) < len(seen):
            there.append(float(found[place, targets].sum()))
            equal.append(len(targets) / len(seen))
            aims += [(place, at) for at in targets]
    return Fit(np.array(there), np.array(equal), tuple(aims))


def together(fits):
    """Return the Fit of several maps together."""
    return Fit(np.concatenate([each.there for each in fits]), np.concatenate([each.equal for each in fits]))


def pick(names, fits, chosen):
    """Return the places of the names that are shown; raise ValueError if there are too few."""
    able = [i for i, name in enumerate(names) if len(fits[i].there) and len(name) <= LONGEST]
    if len(able) < SHOWN:
        raise ValueError(
            f"this lab shows {SHOWN} names of at most {LONGEST} characters to which the sentence applies; there are "
            f"{len(able)} here."
        )
    if chosen != "come first":
        able.sort(key=lambda i: fits[i].above, reverse=chosen == "fit best")
    return able[:SHOWN]


def mean_map(maps, size):
    """Return the mean of all maps, place by place: row i over those that have a letter i."""
    total, count = np.zeros((size, size)), np.zeros((size, 1))
    for found in maps:
        rows = min(size, len(found))
        total[:rows, :rows] += found[:rows, :rows]
        count[:rows] += 1
    return total / np.maximum(count, 1)


# Record


def record(maps, names, looks, chosen, predict=False):
    """Return the Recording: the maps of three names one after the other, then all names."""
    fits = [fit(found, name, looks) for found, name in zip(maps, names)]
    places = pick(names, fits, chosen)
    three, whole = together([fits[i] for i in places]), together(fits)
    size = max(len(names[i]) for i in places)
    stage, frames = FrameTemplate(drawer(size)), []
    for turn, i in enumerate(places, start=1):
        so_far = together([fits[at] for at in places[:turn]])
        said = about_name(names[i], fits[i], looks)
        if turn == SHOWN:
            said += (
                f" In all three it is {show(mean(three.there))}, and equal shares would give "
                f"{show(mean(three.equal))}. What will it be over all {len(names)} names?"
            )
        scene = visible_letters(names[i], size), maps[i], fits[i], so_far, None, names[i]
        frames.append(Frame(said, f"Name {turn} of {SHOWN}", stage.updates(*scene)))
    ask = asked(three, whole, len(names)) if predict else None
    scene = [str(i + 1) for i in range(size)], mean_map(maps, size), whole, three, whole, f"all {len(names)} names"
    frames.append(Frame(about_all(len(names), whole, chosen), f"All {len(names)} names", stage.updates(*scene), ask))
    alt = "The attention map of a name, with outlines where the sentence says to look, and a histogram of their shares."
    return Recording(f"“Each letter looks {looks}”: three names, then all", frames, stage, alt, room=WIDEST_TEXT)


def mean(numbers):
    return float(numbers.mean())


def visible_letters(name, size):
    """Return the letters of a name, padded with empty texts to `size`."""
    return [visible(letter) for letter in name] + [""] * (size - len(name))


def about_name(name, found, looks):
    letters = "1 letter gives" if len(found.there) == 1 else f"{len(found.there)} letters give"
    return (
        f"“{name}”: does each letter look {looks}? That place is outlined. {letters} it {show(mean(found.there))} "
        f"of their attention, on average; equal shares would give {show(mean(found.equal))}."
    )


def about_all(count, whole, chosen):
    there, equal = mean(whole.there), mean(whole.equal)
    return (
        f"Over all {count} names, {len(whole.there):,} letters, the mean share there is {show(there)}. Equal shares "
        f"would give {show(equal)}, so it is {there / equal:.2f} times as much. The three that you saw were "
        f"{CHOSEN[chosen]} of {count}."
    )


def asked(three, whole, count):
    wrong = mistaken(
        (mean(three.there), "the mean of the three names; they were not picked at random"),
        (mean(whole.equal), "what equal shares would give; this head is not quite as even"),
        (1.0, "all of it; that would be a head that looks nowhere else"),
    )
    hint = f"How were the three chosen out of {count}, and what share would a head give that looks everywhere equally?"
    return question(f"the mean share there over all {count} names", mean(whole.there), wrong, hint)


# Draw


def drawer(size):
    """Return the function that draws a frame: a map of `size` letters, the shares that go there, and their means."""
    cell = min(LARGEST, SIDE // size)
    side, corner = SIDE + HEAD + EDGE, HEAD

    def draw(pen, letters, found, fitted, three, whole, name):
        parts = []
        for i, letter in enumerate(letters):
            middle = corner + (i + 0.5) * cell
            parts.append(pen("text", f"column.{i}", "sign", text=letter, at={"x": middle, "y": HEAD - 10}))
            parts.append(pen("text", f"row.{i}", "sign", text=letter, at={"x": HEAD / 2, "y": middle + 5}))
            for j in range(size):
                inside = i < len(found) and j < len(found)
                share = float(found[i, j]) if inside else 0.0
                x, y = corner + j * cell, corner + i * cell
                box = {"x": x, "y": y, "width": cell - 2, "height": cell - 2, "rx": 3}
                state = "off" if not share else "aim" if (i, j) in fitted.aims else ""
                shade = f"{DARKEST * share:.3f}"
                parts.append(pen("rect", f"look.{i}.{j}", "look framed", at=box, fill_opacity=shade, state=state))
                text = f"{share:.2f}".removeprefix("0").replace("1.00", "1") if share else ""
                at = {"x": x + cell / 2 - 1, "y": y + cell / 2 + 3}
                parts.append(pen("text", f"share.{i}.{j}", "tick ink", text=text, at=at))
        drawing = labelled(svg.svg(side, side, *parts), "Whom each letter looks at, one row for each letter.")
        return f'<div class="bp-panels bp-maps">{drawing}{histogram(pen, three, whole)}</div>{means(pen, name, fitted)}'

    return draw


def histogram(pen, three, whole):
    """Draw the histogram of the shares that go where the claim says: for the names shown, and for all."""
    parts = []
    for key, kind, found in (("all", "bars s0", whole), ("three", "bars after", three)):
        counts = np.histogram(found.there, EDGES)[0] / len(found.there) if found else None
        d = UNSEEN if counts is None else svg.bars(EDGES, counts, ACROSS, UP)
        parts.append(pen("path", f"bars.{key}", kind, d=d))
        here = UNSEEN if found is None else f"M{ACROSS(mean(found.there)):.1f},{BOTTOM}V{TOP}"
        parts.append(pen("path", f"mean.{key}", "line s0" if key == "all" else "line limit", d=here))
    return chart(
        "of all letters, how many give that much there",
        "A histogram of the shares that go where the sentence says, with their means.",
        svg.axes(ACROSS, UP, "share that goes there", most=(6, 6)),
        (("line limit", "these names", 80), ("line s0", "all names, mean", 90)),
        *parts,
    )


def means(pen, name, found):
    there, equal = mean(found.there), mean(found.equal)
    cells = (
        ("name", "map of", name, True),
        ("letters", "letters counted", f"{len(found.there):,}", True),
        ("there", "mean share", steady(there), False),
        ("equal", "equal shares", steady(equal), True),
        ("times", "times as much", f"{there / equal:.2f}" if equal else NOT_YET, True),
    )
    return readings(pen, cells)
