"""For `jupyter nbconvert --to slides lecture.ipynb --config nbconvert_config.py`: run the deck, and write one file."""

from pathlib import Path

c = get_config()  # noqa: F821  given by Jupyter
c.SlidesExporter.template_name = "template"
c.SlidesExporter.extra_template_basedirs = [str(Path(__file__).parent)]
c.ExecutePreprocessor.enabled = True
c.ExecutePreprocessor.timeout = 300
