"""Make every picture of the gallery anew."""

from figures.gallery import make

for name in make():
    print(name)
