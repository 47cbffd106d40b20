"""`python -m site_build.book.fonts node_modules` makes the book's fonts from free ones on npm.

Install the packages (SOURCES) with npm; fontTools, with brotli, takes from each the characters that the course uses.
The fonts are in the repository with their licences, in `static/fonts` and, because saved labs need one too, in
`figures`: only somebody who changes them needs to run this.
"""

import io
import shutil
import sys
from pathlib import Path

from figures.page.style import FACE

FONTS = Path(__file__).with_name("static") / "fonts"
EXPO = ("source-serif-4", "noto-serif", "noto-sans-math", "jetbrains-mono")
SERIF, NOTO, MATH, MONO = (f"@expo-google-fonts/{name}" for name in EXPO)
RANGES = (  # ASCII, Latin-1, Greek, punctuation, indices, fractions, arrows, operators, blocks and shapes, ticks
    *((0x20, 0x7E), (0xA0, 0xFF), (0x152, 0x153), (0x2B0, 0x2E3), (0x391, 0x3C9), (0x1D2C, 0x1D6A), (0x2010, 0x203A)),
    *((0x2044, 0x2044), (0x2070, 0x209C), (0x2150, 0x215E), (0x2190, 0x2199), (0x21D0, 0x21D4), (0x2200, 0x22FF)),
    *((0x2304, 0x2304), (0x2423, 0x2423), (0x2500, 0x2500), (0x2588, 0x2588), (0x25A0, 0x25E6), (0x2713, 0x2718)),
)
WRITTEN = [code for first, last in RANGES for code in range(first, last + 1)]
SOURCES = {  # font: its file in the packages, and the characters that it may have
    "serif": (f"{SERIF}/400Regular/SourceSerif4_400Regular.ttf", WRITTEN),
    "serif-italic": (f"{SERIF}/400Regular_Italic/SourceSerif4_400Regular_Italic.ttf", WRITTEN),
    "serif-bold": (f"{SERIF}/700Bold/SourceSerif4_700Bold.ttf", WRITTEN),
    "sans": ("inter-ui/variable/InterVariable.woff2", WRITTEN),
    "mono": (f"{MONO}/400Regular/JetBrainsMono_400Regular.ttf", WRITTEN),
    "indices": (f"{NOTO}/400Regular/NotoSerif_400Regular.ttf", [*map(ord, "⁻ᴸᵀᵢₙⱼᶻ‖")]),  # Source Serif has not
    "signs": (f"{MATH}/400Regular/NotoSansMath_400Regular.ttf", [*map(ord, "∇∘⊙─█")]),  # nor has Inter
}
LICENCES = {
    **{f"{SERIF}/LICENSE_FONT": "serif", f"{MONO}/LICENSE_FONT": "mono", "inter-ui/LICENSE.txt": "sans"},
    **{f"{NOTO}/LICENSE_FONT": "indices", f"{MATH}/LICENSE_FONT": "signs"},
}
FEATURES = ["kern", "ccmp", "tnum"]  # no ligatures: code is read character by character


def make(packages):
    """Write the fonts and their licences. packages: the folder into which npm has put them."""
    for name, (file, characters) in SOURCES.items():
        part(packages / file, characters).save(folder_of(name) / f"{name}.woff2")
    for file, name in LICENCES.items():
        shutil.copyfile(packages / file, folder_of(name) / f"{name}.LICENCE.txt")


def folder_of(name):
    """Return the folder that keeps a font."""
    return FACE.parent if name == FACE.stem else FONTS


def lay(folder):
    """Copy all fonts, with their licences, into a folder."""
    for kept in (FONTS, FACE.parent):
        shutil.copytree(kept, folder, dirs_exist_ok=True)


def part(path, characters):
    """Return a font with only these characters; of a variable one, with the weights from 400 to 700 in one size."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont
    from fontTools.varLib.instancer import instantiateVariableFont

    font = TTFont(path)
    if "fvar" in font:
        font, plain = instantiateVariableFont(font, {"wght": (400, 700), "opsz": 20}), io.BytesIO()
        font.flavor = None
        font.save(plain)  # read it again: otherwise its variations would name glyphs that are gone
        font = TTFont(plain)
    for lookup in font["GSUB"].table.LookupList.Lookup:
        for substitution in lookup.SubTable:
            getattr(substitution, "mapping", {}).pop("hyphen", None)  # next to digits of one width it would stand out
    options = Options(hinting=False, layout_features=FEATURES, name_IDs=[0, 1, 2, 3, 4, 6, 13, 14])
    cut = Subsetter(options)
    cut.populate(unicodes=characters)
    cut.subset(font)
    font.flavor = "woff2"
    return font


if __name__ == "__main__":
    make(Path(sys.argv[1]))
