"""MiroThinker's own client, with the provider's own address in its settings. Its Anthropic client fails on usage without cache counts."""
import asyncio
import sys
import types

from omegaconf import OmegaConf

FOLDER = sys.argv[1] + "/apps/miroflow-agent/"
for name in ("src", "src.llm", "src.llm.providers", "src.utils", "src.logging"):
    # The packages themselves load browsers and readers of documents.
    package = types.ModuleType(name)
    package.__path__ = [FOLDER + name.replace(".", "/")]
    sys.modules[name] = package

from src.llm.providers.openai_client import OpenAIClient  # noqa: E402

CLIENTS = [
    (OpenAIClient, "openai", "gpt-4o", "https://api.openai.com/v1"),
]


class Log:
    def log_step(self, level, step, message):
        if level != "info":
            print(level, step, message)


async def main():
    for client, provider, model, address in CLIENTS:
        llm = {"provider": provider, "model_name": model, "temperature": 0.3, "top_p": 1.0, "min_p": 0.0, "top_k": -1}
        llm |= {"max_context_length": 8000, "max_tokens": 500, "async_client": True, "api_key": "none", "base_url": address}
        cfg = OmegaConf.create({"llm": llm, "agent": {"keep_tool_result": -1}})
        made = client(task_id="1", cfg=cfg, task_log=Log())
        history = [{"role": "user", "content": "The capital of Italy?"}]
        response, history = await made.create_message("Be brief.", history, [])
        text, _, _ = made.process_llm_response(response, history)
        print(model, text.strip())


asyncio.run(main())
