"""Settings of OpenManus's with the provider's own address, under which an example is run."""
import hashlib
import os
import runpy
import shutil
import sys
import tempfile

from pathlib import Path

SETTINGS = """
[llm]
model = "gpt-4o"
base_url = "https://api.openai.com/v1"
api_key = "none-is-needed"
max_tokens = 100
temperature = 0.0
[daytona]
daytona_api_key = "none"
"""
RANKS = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"


with tempfile.TemporaryDirectory() as folder:
    # Its settings are found beside its sources; those of the clone are left alone.
    shutil.copytree(Path(sys.argv[2]) / "app", Path(folder) / "app")
    (Path(folder) / "config").mkdir()
    (Path(folder) / "config" / "config.toml").write_text(SETTINGS)
    # tiktoken looks here before it downloads.
    os.environ["TIKTOKEN_CACHE_DIR"] = folder
    shutil.copy(sys.argv[3] + "/o200k_base.tiktoken", Path(folder) / hashlib.sha1(RANKS.encode()).hexdigest())
    sys.path.insert(0, folder)
    sys.modules["app.bedrock"] = type(sys)("app.bedrock")
    sys.modules["app.bedrock"].BedrockClient = None

    runpy.run_path(sys.argv[1])
