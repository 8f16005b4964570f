"""MetaGPT as it is, with the provider's own address in its config2.yaml: its client whole, as a stream and for code, and the mock of its tests."""
import asyncio
import hashlib
import os
import shutil
import sys
import tempfile
import types

from pathlib import Path

SOURCES = Path(sys.argv[1])
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
    shutil.copy(sys.argv[2] + "/o200k_base.tiktoken", Path(folder) / hashlib.sha1(RANKS.encode()).hexdigest())
    sys.path.insert(0, str(SOURCES))
    for name in ("metagpt.provider", "metagpt.utils", "metagpt.tools"):
        # The packages themselves load the clients of a dozen providers, browsers and tools.
        package = types.ModuleType(name)
        package.__path__ = [str(SOURCES / name.replace(".", "/"))]
        sys.modules[name] = package

    from metagpt.config2 import Config
    from metagpt.provider.openai_api import OpenAILLM

    from tests.mock.mock_llm import MockLLM

    async def main():
        llm = OpenAILLM(Config.default().llm)
        print("ask:", await llm.aask("The capital of Italy?", stream=False))
        print("stream:", await llm.aask("The capital of France?", stream=True))
        print("batch:", await llm.aask_batch(["The capital of Spain?"]))

        # The mock of its own tests: a key of its cache answers, anything else asks the provider where the switch allows it.
        mock = MockLLM(allow_open_api_call=int(os.environ.get("ALLOW_OPENAI_API_CALL", 1)))
        mock.rsp_cache = {"The capital of Greece?": "Athens."}
        print("mock:", await mock.aask("The capital of Greece?"))
        print("candidate:", await mock.aask("The capital of Malta?"), len(mock.rsp_candidates))

    asyncio.run(main())
