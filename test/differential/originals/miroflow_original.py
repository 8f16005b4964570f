"""Reads, corrects and shortens conversations with MiroThinker's own sources, which stand in the folder of the first argument."""
import copy
import json
import math
import sys
import types

from stubs import bare, stub

stub("omegaconf", "openai", "anthropic", "tenacity", "tiktoken")
for name in ("src", "src.llm", "src.llm.providers", "src.utils"):
    bare(name, "/".join([sys.argv[1], "apps/miroflow-agent", *name.split(".")]))
stub("src.logging", "src.utils.prompt_utils", "src.llm.util")

from src.llm.providers.anthropic_client import AnthropicClient  # noqa: E402
from src.llm.providers.openai_client import OpenAIClient  # noqa: E402
from src.utils import parsing_utils  # noqa: E402


def as_object(value):
    if isinstance(value, list):
        return [as_object(item) for item in value]
    if isinstance(value, dict):
        return types.SimpleNamespace(**{name: as_object(member) for name, member in value.items()})
    return value


class Log(list):
    def log_step(self, level, step, message):
        self.append([level, step, message])


def client_of(kind, case):
    client = (AnthropicClient if kind == "anthropic" else OpenAIClient).__new__(
        AnthropicClient if kind == "anthropic" else OpenAIClient
    )
    client.task_log = Log()
    client.last_call_tokens = case.get("last_call", {})
    client.max_tokens = case.get("max_tokens", 0)
    client.max_context_length = case.get("max_context_length", 0)
    client._estimate_tokens = len
    return client


def parsed(answer):
    return parsing_utils.parse_llm_response_for_tool_calls(as_object(answer) if isinstance(answer, list) else answer)


def fixed(case):
    parsing_utils.set_tool_server_mapping(case["system_prompt"])
    return parsing_utils.fix_server_name_in_text(case["text"])


def said(text):
    return {
        "experience": parsing_utils.extract_failure_experience_summary(text),
        "text": parsing_utils.extract_llm_response_text(text),
    }


def retained(case):
    client = client_of("openai", {})
    messages = client._remove_tool_result_from_messages(case["messages"], case["keep"])
    return {"messages": messages, "log": client.task_log}


def marked(messages):
    client = client_of("anthropic", {})
    return {"messages": client._apply_cache_control(copy.deepcopy(messages)), "log": client.task_log}


def guarded(case):
    client = client_of(case["provider"], case)
    goes_on, history = client.ensure_summary_context(copy.deepcopy(case["history"]), case["summary"])
    return {"continue": goes_on, "history": history, "log": client.task_log}


def processed(case):
    parsing_utils.set_tool_server_mapping("")
    client = client_of(case["provider"], case)
    text, should_break, history = client.process_llm_response(as_object(case["response"]), [{"role": "user", "content": "t"}])
    return {"text": text, "should_break": should_break, "history": history, "log": client.task_log}


RUN = {"parse": parsed, "fix": fixed, "say": said, "retain": retained, "mark": marked, "guard": guarded, "process": processed}


def run(case):
    try:
        return RUN[case["what"]](case["input"])
    except Exception as error:
        return {"error": type(error).__name__}


def plain(value):
    """As JSON.stringify writes it: what is no number of JSON is null."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, types.SimpleNamespace):
        return plain(vars(value))
    return None if isinstance(value, float) and not math.isfinite(value) else value


json.dump(plain([run(case) for case in json.load(sys.stdin)]), sys.stdout)
