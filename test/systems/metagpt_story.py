"""Settings of MetaGPT's with the provider's own address, under which an example is run."""
import hashlib
import os
import runpy
import shutil
import sys
import tempfile
import types

from pathlib import Path

EXAMPLE, SOURCES = sys.argv[1], Path(sys.argv[2])
RANKS = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
SETTINGS = """
llm:
  api_type: openai
  model: gpt-4o
  base_url: https://api.openai.com/v1
  api_key: none-is-needed
"""

with tempfile.TemporaryDirectory() as folder:
    # Its settings are found in the folder of a project; those of the clone and of the user are left alone.
    os.environ["METAGPT_PROJECT_ROOT"] = os.environ["HOME"] = folder
    (Path(folder) / "config").mkdir()
    (Path(folder) / "config" / "config2.yaml").write_text(SETTINGS)
    # tiktoken looks here before it downloads.
    os.environ["TIKTOKEN_CACHE_DIR"] = folder
    shutil.copy(sys.argv[3] + "/o200k_base.tiktoken", Path(folder) / hashlib.sha1(RANKS.encode()).hexdigest())
    sys.path.insert(0, str(SOURCES))
    for name in ("metagpt.provider", "metagpt.utils", "metagpt.tools"):
        # The packages themselves load the clients of a dozen providers, browsers and tools.
        package = types.ModuleType(name)
        package.__path__ = [str(SOURCES / name.replace(".", "/"))]
        sys.modules[name] = package

    runpy.run_path(EXAMPLE)
