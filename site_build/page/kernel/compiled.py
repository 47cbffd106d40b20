"""Return the bytecode of each loaded module in plain Python as JSON, {file: base64}; run by the page's own Python."""

import base64
import importlib.util
import json
import sys
from importlib._bootstrap_external import _code_to_hash_pyc


def bytecode(module):
    """Return the content of a bytecode file, for which Python does not check whether its source has changed."""
    source = module.__spec__.loader.get_data(module.__file__)
    code = compile(source, module.__file__, "exec", dont_inherit=True)
    return base64.b64encode(_code_to_hash_pyc(code, importlib.util.source_hash(source), False)).decode()


json.dumps(
    {
        module.__file__: bytecode(module)
        for module in list(sys.modules.values())
        if (getattr(module, "__file__", None) or "").endswith(".py") and hasattr(module.__spec__.loader, "get_data")
    }
)
