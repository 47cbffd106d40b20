"""The reference: docstrings, which are plain text, as Sphinx reads them."""


def setup(app):
    """Register with Sphinx."""
    return {"parallel_read_safe": True}
