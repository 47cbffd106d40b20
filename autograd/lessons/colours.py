"""Names of colours, letter by letter: the words that lesson 10 learns to spell and to paint.

Source: the 949 names of the xkcd colour survey (Munroe, 2010), licence CC0 1.0, as matplotlib holds them. Matplotlib is
imported when they are first read.
"""

import codecs
import functools
from typing import NamedTuple

import numpy as np

SIGNS = ". '/abcdefghijklmnopqrstuvwxyz"  # the first marks a name's end, and the places before it
END = 0  # its number
DEV = 92  # names that no training sees, a tenth
LONGEST = 27  # letters: no name has as many
NOT_FOR_A_CLASSROOM = ("bile", "barf", "booger", "diarr", "piss", "poo", "puke", "shit", "snot", "vomit")
ADDED = 0.1  # to each count of a pair, so that none is 0


class Colours(NamedTuple):
    """Names to learn from and names to try a network on, in a random order that is always the same; their colours."""

    train: tuple  # 828 names
    dev: tuple  # 92 others
    rgb: dict  # of each name its red, green and blue, from 0 to 1


def load_colours():
    """Return the Colours without the names that are not for a classroom; nothing is downloaded."""
    rgb = {name: each for name, each in survey().items() if not any(stem in name for stem in NOT_FOR_A_CLASSROOM)}
    names = sorted(rgb)
    order = [names[i] for i in np.random.RandomState(0).permutation(len(names))]
    return Colours(tuple(order[DEV:]), tuple(order[:DEV]), rgb)


@functools.cache
def survey():
    """Return {name: (red, green, blue)} of all names, as the source has them."""
    from matplotlib.colors import XKCD_COLORS, to_rgb

    return {name.removeprefix("xkcd:"): to_rgb(colour) for name, colour in XKCD_COLORS.items()}


def rgb_of(names):
    """Return the colours of some names, an array of shape (n, 3)."""
    known = load_colours().rgb
    return np.array([known[name] for name in names])


# Letters as numbers


def letters_of(name):
    """Return a name's letters as numbers: "red" is [21, 8, 7]. Raise ValueError for a character that no name has."""
    strange = [letter for letter in name if letter not in SIGNS[1:]]
    if strange:
        raise ValueError(f"A name has lower-case letters, spaces, ' and /; {name!r} has {strange[0]!r}.")
    return [SIGNS.index(letter) for letter in name]


def name_of(letters):
    """Return the name that these numbers spell."""
    return "".join(SIGNS[letter] for letter in letters)


def windows(letters, context):
    """Return (windows, targets) of a name: for each letter, the `context` letters before it, and the letter.

    END fills the places before the name, and is the last target. Lists of len(letters) + 1 each.
    """
    padded = [END] * context + list(letters)
    return [padded[i : i + context] for i in range(len(letters) + 1)], [*letters, END]


def all_windows(names, context):
    """Return the windows of all names, shape (n, context), and their targets, shape (n,), as arrays of numbers."""
    pairs = [windows(letters_of(name), context) for name in names]
    return np.concatenate([rows for rows, _ in pairs]), np.concatenate([targets for _, targets in pairs])


# Counts of letter pairs


def letter_shares(names):
    """Return the share of each character among all the letters of some names and their ends, shape (30,)."""
    _, targets = all_windows(names, 1)
    counts = np.bincount(targets, minlength=len(SIGNS)) + ADDED
    return counts / counts.sum()


def pair_shares(names):
    """Return, in a row for each character, the shares of the characters that follow it, shape (30, 30)."""
    before, targets = all_windows(names, 1)
    counts = np.full((len(SIGNS), len(SIGNS)), ADDED)
    np.add.at(counts, (before[:, 0], targets), 1.0)
    return counts / counts.sum(axis=1, keepdims=True)


def mean_surprise(shares, names):
    """Return the mean of -log share of each next letter of some names, in nats: the cross-entropy of counting.

    shares: of shape (30,), the same after every letter, or (30, 30), a row for each letter before.
    """
    before, targets = all_windows(names, 1)
    rows = np.broadcast_to(shares, (len(SIGNS), len(SIGNS)))
    return float(-np.log(rows[before[:, 0], targets]).mean())


# Names that are invented


def pick(scores, temperature, u):
    """Draw the number of a character from scores of shape (30,); u: a number from 0 to 1, uniformly drawn."""
    return int(picks(scores[None], temperature, np.array([u]))[0])


def picks(scores, temperature, u):
    """Draw the numbers of characters from rows of scores, shape (n, 30), an array; u: of shape (n,).

    The shares are softmax(row / temperature), laid end to end from 0 to 1; the character is the one in whose part u is.
    """
    powers = np.exp((scores - scores.max(axis=1, keepdims=True)) / temperature)
    edges = np.cumsum(powers / powers.sum(axis=1, keepdims=True), axis=1)
    return np.minimum((edges <= u[:, None]).sum(axis=1), scores.shape[1] - 1)


def invent(next_scores, count, temperature=1.0, rng=None):
    """Draw `count` names character by character; replace those that `is_held_back`.

    next_scores: a function of unfinished names, lists of letters as numbers, that returns an array with a row of 30
    scores for each. rng: a RandomState, by default that of seed 0. A name ends with END, or after LONGEST letters.
    """
    rng, found = np.random.RandomState(0) if rng is None else rng, []
    while len(found) < count:
        drawn = spell(next_scores, count - len(found), temperature, rng)
        found += [name for name in drawn if not is_held_back(name)]
    return found


def new_names(next_scores, count, known, temperature=1.0, rng=None):
    """Draw `count` different names as `invent` does, none of them `known` or empty.

    Raise ValueError if a hundred times as many draws do not give enough.
    """
    rng, found = np.random.RandomState(0) if rng is None else rng, {}
    for _ in range(100):
        drawn = invent(next_scores, count, temperature, rng)
        found |= dict.fromkeys(name for name in drawn if name and name not in known)
        if len(found) >= count:
            return list(found)[:count]
    raise ValueError(f"Of {100 * count} sampled names only {len(found)} are new: is the temperature very low?")


def spell(next_scores, count, temperature, rng):
    """Draw `count` names, all at once, and hold none back."""
    names = [[] for _ in range(count)]
    growing = names
    while growing:
        drawn = picks(next_scores(growing), temperature, rng.random_sample(len(growing)))
        for name, letter in zip(growing, drawn.tolist()):
            name.append(letter)
        growing = [name for name in growing if name[-1] != END and len(name) < LONGEST]
    return [name_of(name[:-1] if name[-1] == END else name) for name in names]


# Names that are hidden. The letters are rotated by 13 places, so that nobody has to read them.


def is_held_back(name):
    """Return whether an invented name is not shown: it has a stem or a whole word that is not for a classroom.

    A network that draws letters spells every short word sooner or later.
    """
    return any(stem in name for stem in STEMS) or not WORDS.isdisjoint(name.replace("/", " ").replace("'", " ").split())


def unread(turned):
    """Return the words of a text whose letters are rotated by 13 places."""
    return frozenset(codecs.decode(turned, "rot13").split())


STEMS = unread(
    "ovgpu oybjwbo obyybpx obare obbo ohttre ohxxnx puvax pyvg penc phag qnza qvyqb qlxr rwnp rerpg rebgvp "
    "sntt snttbg sneg shpx shx travgny uvgyre ubbxre ubeal wvmm znfgheo zbyrfg anmv avtt avccyr betnf betl "
    "cnagvr cnagl cravf cbea cevpx cebfgvghg chor chffl dhrre encvfg ergneq fpebg frzra frkh frkl fyhg fzrtzn "
    "fcrez fcvpx gvgg genaal gheq intva ihyin jnax jrgonpx juber "
) | {*NOT_FOR_A_CLASSROOM}
WORDS = unread(
    "nany nahf nefr nff nffrf ohz ohzf ohgg ohggf puvax pbpx pbpxf pbba pbbaf phz phzf phaal qnexl qvpx qvpxf "
    "qvr qhzo qlxr snt sntf sng tnl tnlf tbbx tlcfl ub ubr ubzb vqvbg wnc wncf wrj wrjf xvxr xvyy yrfob yhfg "
    "zhss avt avc avcf ahqr cnxv crr crei cvzc chf chff encr encrq encrf frk fynt fynir fcvp fcvpf fchax "
    "fghcvq fhpx fhpxf gneq grng grngf gubat gvg gvgf gjng jrr jbt jbc "
)
