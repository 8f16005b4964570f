"""OpenManus as it is, with the provider's own address in its settings: ask, as a stream and whole, and ask with tools."""
import asyncio
import hashlib
import os
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
TOOL = {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object", "properties": {}}}}

with tempfile.TemporaryDirectory() as folder:
    # Its settings are found beside its sources; those of the clone are left alone.
    shutil.copytree(Path(sys.argv[1]) / "app", Path(folder) / "app")
    (Path(folder) / "config").mkdir()
    (Path(folder) / "config" / "config.toml").write_text(SETTINGS)
    # tiktoken looks here before it downloads.
    os.environ["TIKTOKEN_CACHE_DIR"] = folder
    shutil.copy(sys.argv[2] + "/o200k_base.tiktoken", Path(folder) / hashlib.sha1(RANKS.encode()).hexdigest())
    sys.path.insert(0, folder)
    sys.modules["app.bedrock"] = type(sys)("app.bedrock")
    sys.modules["app.bedrock"].BedrockClient = None

    from app.llm import LLM
    from app.schema import Message

    async def main():
        llm = LLM()
        question = [Message.user_message("The capital of Italy?")]
        print("ask:", await llm.ask(question, stream=False))
        print("stream:", await llm.ask(question))
        print("tools:", (await llm.ask_tool(question, tools=[TOOL])).content)

    asyncio.run(main())
