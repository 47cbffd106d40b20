"""Lesson 10's names, what spells them and what paints them: data, baselines, drawing, and models on two Tensors."""

import codecs
import subprocess
import sys

import numpy as np
import pytest

from autograd import gradcheck
from autograd.lessons import colours, painting, spelling
from autograd.lessons.colours import END, SIGNS, invent, letters_of, name_of, pick, windows
from autograd.tensor import Tensor
from exercises.engine_file.trial import template_engine

DATA = colours.load_colours()
EVERY = (*DATA.train, *DATA.dev)
UNCLEAN = {  # what the 29 omitted names contain: a separate list, next to the stems
    *("baby poo", "baby poop", "baby poop green", "baby puke green", "baby shit brown", "baby shit green"),
    *("barf green", "bile", "booger", "booger green", "diarrhea", "piss yellow", "poo", "poo brown", "poop"),
    *("poop brown", "poop green", "puke", "puke brown", "puke green", "puke yellow", "shit", "shit brown"),
    *("shit green", "snot", "snot green", "vomit", "vomit green", "vomit yellow"),
}
THIRD = codecs.decode(  # turned by 13 places; no other file reads it
    "nefrubyr nff nffubyr onfgneq ornare ovgpu oybjwbo obbo obbof ohttre ohzubyr ohgg pnzryghr puvax pyvg "
    "pbpx pbba penc phz phzfubg phag qntb qnza qvpx qvpxurnq qvxr qvyqb qbhpur qlxr rwnphyngr snt sntf snttbg "
    "sneg snegf sryyngvb sryngvb sencc shpx shpxre shpxvat shx tbqqnza tbbx thvqb tlcfl unaqwbo ubr ubzb ubbxre ubeal "
    "wnpxnff wnc wvmm whttf xvxr xaboo xenhg xxx yrfob yhfg znfgheongr zvys zhss artebr avt avttn avttre avccyr ahqr "
    "betnfz cnxv cnagl crqb crr cravf creire crei cvpxnavaal cvff cbea cbeab cevpx chor chff chffl encr encvfg "
    "engpurg ergneq fpebghz frk frkf frkl frzra fuvg fuvgg fuvggl fyhg fcvp fcvpx fchax fjnfgvxn gneq grng gvg gvgf "
    "gvggl genaal gheq gheqf gjng intvan ihyin jnax jnaxre jrgonpx juber jbc",
    "rot13",
).split()


def test_colour_names_dataset_has_expected_sizes_and_filter():
    assert (len(colours.survey()), len(EVERY), len({*EVERY}), len(DATA.train), len(DATA.dev)) == (
        949,
        920,
        920,
        828,
        92,
    )
    assert {*colours.survey()} - {*EVERY} == UNCLEAN
    assert not [name for name in EVERY for stem in colours.NOT_FOR_A_CLASSROOM if stem in name]
    assert set("".join(EVERY)) == set(SIGNS[1:]) and len(SIGNS) == 30 and max(map(len, EVERY)) < colours.LONGEST
    assert DATA.train[:3] == ("berry", "cerulean blue", "egg shell") and colours.load_colours() == DATA
    assert [painting.hexadecimal(DATA.rgb[name]) for name in ("red", "cloudy blue")] == ["#e50000", "#acc2d9"]
    assert colours.rgb_of(DATA.dev).shape == (92, 3)


def test_matplotlib_is_imported_only_when_names_are_read():
    code = (
        "import sys, autograd.lessons.spelling, autograd.lessons.painting as p; before = 'matplotlib' in sys.modules;"
    )
    code += "p.rgb_of(['red']); print(before, 'matplotlib' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert ran.stdout == "False True\n"


def test_letters_and_windows_encode_names():
    assert letters_of("red") == [21, 8, 7] and [name for name in EVERY if name_of(letters_of(name)) != name] == []
    with pytest.raises(ValueError, match=r"A name has lower-case letters, spaces, ' and /; 'Red' has 'R'\."):
        letters_of("Red")
    assert windows([1, 2, 3], 2) == ([[0, 0], [0, 1], [1, 2], [2, 3]], [1, 2, 3, END])
    assert windows([], 1) == ([[0]], [END])
    for names, count in ((DATA.train, 9369), (DATA.dev, 1042)):
        rows, targets = colours.all_windows(names, 4)
        assert rows.shape == (count, 4) and targets.shape == (count,) and (targets == END).sum() == len(names)


def test_baseline_surprise_of_letter_and_pair_counts():
    even, letters, pairs = np.full(30, 1 / 30), colours.letter_shares(DATA.train), colours.pair_shares(DATA.train)
    assert np.allclose([letters.sum(), *pairs.sum(axis=1)], 1.0)
    assert [round(colours.mean_surprise(each, DATA.dev), 3) for each in (even, letters, pairs)] == [3.401, 2.970, 2.236]


def test_pick_samples_by_temperature_scaled_probabilities():
    scores = np.log([0.5, 0.3, 0.2])
    assert [pick(scores, 1.0, u) for u in (0.0, 0.49, 0.51, 0.79, 0.81, 0.999)] == [0, 0, 1, 1, 2, 2]
    assert [pick(scores, 0.5, u) for u in (0.65, 0.66, 0.88, 0.9)] == [0, 1, 1, 2]  # 25, 9 and 4 of 38
    assert pick(np.array([800.0, 0.0]), 1.0, 0.999) == 0 and pick(scores, 1.0, 1.0) == 2


# Models, on the package's Tensor and on a learner's


ENGINES = {"the package": Tensor, "my_engine.py": template_engine().Tensor}


@pytest.fixture(scope="module", params=ENGINES)
def kind(request):
    return ENGINES[request.param]


def passed_back(root, parameters):
    root.backward()
    return [np.array(each.grad) for each in parameters]


def square(scores):
    return (scores * scores).sum()


def test_models_have_equal_gradients_on_both_tensor_classes():
    rows, _ = colours.all_windows(DATA.train[:3], 4)
    letters, positions, names, _ = spelling.packed(DATA.train[:3])
    mask, known = spelling.mask_of(spelling.sees(positions, names)), painting.vocabulary(DATA.train)
    bags = painting.shares(DATA.train[:3], known)
    found = []
    for each in ENGINES.values():
        models = spelling.window_network(each), spelling.block_network(each), painting.painter(each, len(known))
        outputs = (
            spelling.window_scores(models[0], rows),
            spelling.block_scores(models[1], letters, positions, mask),
            painting.colours_of(models[2], bags),
        )
        gradients = [grad for out, model in zip(outputs, models) for grad in passed_back(square(out), model)]
        found.append([*(out.data for out in outputs), *gradients])
    assert [sum(p.data.size for p in model) for model in models] == [4302, 15104, 27523]
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_attention_block_passes_the_gradient_check(monkeypatch):
    monkeypatch.setattr(spelling, "WIDTH", 3)
    monkeypatch.setattr(spelling, "INNER", 4)
    letters, positions, names, targets = spelling.packed(["red", "tan"])
    mask = spelling.mask_of(spelling.sees(positions, names))

    def loss(*parameters):
        return spelling.block_scores(parameters, letters, positions, mask).softmax_cross_entropy(targets)

    report = gradcheck(loss, spelling.block_network(Tensor), epsilon=1e-6)
    assert report and len({row.name.split("[")[0] for row in report.rows}) == 9
    assert max(row.error for row in report.rows) < 1e-8


def test_mask_shows_only_earlier_letters_of_the_same_name():
    letters, positions, names, targets = spelling.packed(["tan", "red"])
    assert name_of(letters) == ".tan.red" and name_of(targets) == "tan.red."
    assert positions.tolist() == [0, 1, 2, 3] * 2 and names.tolist() == [0] * 4 + [1] * 4
    assert (spelling.sees(positions, names) == np.kron(np.eye(2), np.tri(4)).astype(bool)).all()


def test_packed_names_score_the_same_as_single_names(kind):
    parameters = spelling.block_network(kind, seed=1)
    together = spelling.after_letters(parameters)([letters_of(name) for name in ("red", "dark blue", "")])
    alone = [spelling.after_letters(parameters)([letters_of(name)])[0] for name in ("red", "dark blue", "")]
    np.testing.assert_allclose(together, alone, rtol=1e-12)
    shares = spelling.shares_of(parameters, "red")
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert shares.shape == (4, 4) and not np.triu(shares, 1).any() and shares[0, 0] == 1.0


def test_batches_take_each_name_once_per_epoch():
    taken = [names for *_, names, _ in spelling.batches(DATA.train[:10], 4, 4, np.random.RandomState(0))]
    assert [names.max() for names in taken] == [3, 3, 3, 3]
    first = [letters for letters, *_ in spelling.batches(DATA.train[:8], 4, 2, np.random.RandomState(0))]
    assert sorted(np.concatenate(first)) == sorted(spelling.packed(DATA.train[:8])[0])


def test_painting_splits_names_into_trigrams():
    known = painting.vocabulary(["red", "tan"])
    assert painting.pieces("red") == [".re", "red", "ed.", "red"] and len(known) == 6
    (row,) = painting.shares(["red"], known)
    assert row[known["red"]] == 0.5 and row.sum() == 1.0 and (row > 0).sum() == 3
    assert not painting.shares(["xyz"], known).any()


@pytest.fixture(scope="module")
def speller():
    """Return the network of windows, trained as in the lesson: the package's Tensor, and the same numbers of `fit`."""
    parameters, (rows, targets) = spelling.window_network(Tensor), colours.all_windows(DATA.train, 4)

    def loss_of(batch):
        return spelling.window_scores(parameters, rows[batch]).softmax_cross_entropy(targets[batch])

    template_engine().fit(parameters, loss_of, n=9369, batch=64, lr=0.5, epochs=10, rng=np.random.RandomState(0))
    return parameters


def test_speller_reaches_expected_losses(speller):
    assert loss_of(spelling.window_network(Tensor), DATA.train) == pytest.approx(np.log(30), abs=0.02)
    assert loss_of(speller, DATA.train) == pytest.approx(1.193, abs=0.01)
    assert loss_of(speller, DATA.dev) == pytest.approx(1.482, abs=0.01)


def loss_of(parameters, names):
    rows, targets = colours.all_windows(names, 4)
    return float(spelling.window_scores(parameters, rows).softmax_cross_entropy(targets))


@pytest.mark.long
def test_painter_learns_the_same_on_both_engines():
    known = painting.vocabulary(DATA.train)
    parameters, rows = painting.painter(template_engine().Tensor, len(known)), painting.shares(DATA.train, known)
    rgb, mean = colours.rgb_of(DATA.train), colours.rgb_of(DATA.train).mean(axis=0)

    def loss_of(batch):
        return painting.mean_square(parameters, rows[batch], rgb[batch])

    template_engine().fit(parameters, loss_of, n=828, batch=16, lr=1.0, epochs=60, rng=np.random.RandomState(0))
    packages = painting.trained_painter(DATA.train, known)
    for names, off in ((DATA.train, 0.074), (DATA.dev, 0.175)):
        found = [painting.error(each, names, known) for each in (parameters, packages)]
        assert found == [pytest.approx(off, abs=0.003)] * 2 and found[0] == pytest.approx(found[1], rel=1e-6)
    assert np.sqrt(((mean - colours.rgb_of(DATA.dev)) ** 2).mean()) == pytest.approx(0.306, abs=0.001)


# Pictures


def holds(name, word):
    """Return whether a word is one of a name's, or, with five letters or more, a part of one."""
    return word in name.replace("/", " ").replace("'", " ").split() or (len(word) > 4 and word in name)


@pytest.mark.long
def test_sampled_names_contain_no_offensive_words(speller, capsys):
    """They are drawn as the card and the cells draw them; names drawn and not shown are counted."""
    next_scores, held = spelling.after_windows(speller), 0
    for temperature, count in ((0.7, 4_000), (1.0, 12_000), (1.5, 4_000)):
        drawn = colours.spell(next_scores, count, temperature, np.random.RandomState(1))
        held += sum(map(colours.is_held_back, drawn))
        shown = invent(next_scores, count, temperature, np.random.RandomState(1))
        assert len(shown) == count and not [name for name in shown if any(holds(name, word) for word in THIRD)]
    with capsys.disabled():
        print(f"\nOf 20,000 names {held} were held back.")
    assert 1 <= held <= 200
    assert [each for each in EVERY if colours.is_held_back(each)] == []


def test_held_back_names_are_replaced():
    for word in (*colours.STEMS, *colours.WORDS):
        assert colours.is_held_back(word) and colours.is_held_back(f"dark {word}/blue")
    assert [stem for stem in colours.STEMS if not colours.is_held_back(f"baby{stem}s")] == []
    turns = iter(["poo", "red", "blue", "tan"])
    drawn = {}

    def next_scores(names):
        """Spell one name after the other, letter by letter, with certainty."""
        for name in names:
            if not name:
                drawn[id(name)] = [*letters_of(next(turns)), END]
        return np.array([1000.0 * np.eye(30)[drawn[id(name)][len(name)]] for name in names])

    assert invent(next_scores, 3) == ["red", "blue", "tan"]


def test_new_names_are_unknown_and_unique(speller):
    next_scores = spelling.after_windows(speller)
    found = colours.new_names(next_scores, 24, DATA.rgb)
    assert len({*found}) == 24 and all(found) and not {*found} & {*EVERY}
    assert found == colours.new_names(next_scores, 24, DATA.rgb)  # of the same seed
    with pytest.raises(ValueError, match=r"Of 300 sampled names only 0 are new"):
        colours.new_names(lambda names: np.array([1000.0 * np.eye(30)[END]] * len(names)), 3, DATA.rgb)


def test_endless_names_are_cut():
    (name,) = invent(lambda names: np.array([1000.0 * np.eye(30)[4]]), 1)
    assert name == "a" * colours.LONGEST
