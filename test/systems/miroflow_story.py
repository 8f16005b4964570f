"""MiroThinker's own client without what its packages load besides, under which an example is run. Its Anthropic client fails on usage without cache counts."""
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
