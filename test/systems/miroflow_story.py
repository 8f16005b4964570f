"""Loads MiroThinker's client without the other modules of its packages, and runs an example. Its Anthropic client fails on usage without cache counts."""
import runpy
import sys
import types

FOLDER = sys.argv[2] + "/apps/miroflow-agent/"
for name in ("src", "src.llm", "src.llm.providers", "src.utils", "src.logging"):
    # The packages themselves load browsers and readers of documents.
    package = types.ModuleType(name)
    package.__path__ = [FOLDER + name.replace(".", "/")]
    sys.modules[name] = package

runpy.run_path(sys.argv[1])
