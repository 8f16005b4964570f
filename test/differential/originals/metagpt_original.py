"""Keys, code answers and masks of MetaGPT's own mock and clients, whose sources stand in the folder of the first argument."""
import asyncio
import json
import math
import sys
import types

from stubs import Anything, bare, stub

bare("metagpt", sys.argv[1] + "/metagpt")
bare("metagpt.provider", sys.argv[1] + "/metagpt/provider")
bare("metagpt.utils", sys.argv[1] + "/metagpt/utils")
stub("openai", "aiohttp", "pydantic", "pydantic_core", "tenacity", "httpx", "aiofiles", "chardet", "loguru", "PIL", "requests")
stub("metagpt.configs", "metagpt.logs", "metagpt.provider.llm_provider_registry", "metagpt.provider.azure_openai_api")
stub("metagpt.utils.cost_manager", "metagpt.utils.token_counter", "metagpt.utils.exceptions")
stub("metagpt.utils.serialize", "metagpt.utils.json_to_markdown")


def module(name, **members):
    made = types.ModuleType(name)
    for member, value in members.items():
        setattr(made, member, value)
    sys.modules[name] = made
    return made


class Message:
    """As much of MetaGPT's as these calls read."""

    def __init__(self, content, role="user", metadata=None):
        self.content, self.role, self.metadata = content, role, metadata or {}

    def to_dict(self):
        return {"role": self.role, "content": self.content}


class Kinds:
    """Kinds of providers: each is its own name."""

    def __getattr__(self, name):
        return name


module("metagpt.schema", Message=Message)
module("metagpt.const", LLM_API_TIMEOUT=300, USE_CONFIG_TIMEOUT=0, IMAGES="images", MARKDOWN_TITLE_PREFIX="## ", MESSAGE_ROUTE_TO_ALL="<all>")
module("metagpt.configs.llm_config", LLMConfig=Anything(), LLMType=Kinds())
module("metagpt.config2", config=types.SimpleNamespace(llm=types.SimpleNamespace(api_type="OPENAI")))

from metagpt.provider.openai_api import OpenAILLM  # noqa: E402

with open(sys.argv[1] + "/tests/mock/mock_llm.py", encoding="utf-8") as source:
    namespace = {"__name__": "mock_llm"}
    exec(compile(source.read(), "mock_llm.py", "exec"), namespace)
MockLLM = namespace["MockLLM"]


def revived(value):
    if isinstance(value, list):
        return [revived(item) for item in value]
    if isinstance(value, dict) and "$message" in value:
        return Message(**value["$message"])
    return value


class Asked(Exception):
    pass


def mock_of(case):
    llm = MockLLM.__new__(MockLLM)
    llm.model = case.get("model", "gpt-4-turbo")
    llm.use_system_prompt = case.get("use_system_prompt", True)
    llm.allow_open_api_call, llm.rsp_cache, llm.rsp_candidates = True, {}, []
    llm.config = types.SimpleNamespace(model=llm.model, timeout=case.get("timeout", 0), stream=True, compress_type="", calc_usage=False)
    return llm


def key_of(case):
    llm = mock_of(case)

    async def answer(*_, **__):
        return "answer"

    method = case["method"]
    setattr(llm, "original_" + method, answer)
    asyncio.run(getattr(llm, method)(**revived_args(case["args"])))
    return next(iter(llm.rsp_candidates[0]))


def revived_args(args):
    return {name: revived(value) for name, value in args.items()}


def code_of(case):
    function = types.SimpleNamespace(name="execute", arguments=case["arguments"])
    calls = None if case["arguments"] is None else [types.SimpleNamespace(function=function)]
    message = types.SimpleNamespace(tool_calls=calls, content=case["content"])
    rsp = types.SimpleNamespace(choices=[types.SimpleNamespace(message=message)])
    llm = mock_of({})
    llm.get_choice_text = lambda given: given.choices[0].message.content
    return llm.get_choice_function_arguments(rsp)


def sent_by(case):
    llm = mock_of(case)
    sent = {}

    async def answer(messages, stream=False, timeout=300):
        sent.update(messages=messages)
        return "R"

    llm.acompletion_text = answer
    args = revived_args(case["args"])
    asyncio.run(llm.original_aask(**args))
    return sent


def masked(message):
    return mock_of({}).mask_base64_data(message)


RUN = {"key": key_of, "code": code_of, "send": sent_by, "mask": masked}


def plain(value):
    """As JSON.stringify writes it: what is no number of JSON is null."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def run(case):
    try:
        return plain(RUN[case["what"]](case["input"]))
    except Exception as error:
        return {"error": type(error).__name__}


json.dump([run(case) for case in json.load(sys.stdin)], sys.stdout)
