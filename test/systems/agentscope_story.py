"""AgentScope as it is: a formatter, and models that answer whole and as a stream."""
import asyncio

from agentscope.formatter import AnthropicChatFormatter, OpenAIChatFormatter
from agentscope.message import Msg
from agentscope.model import AnthropicChatModel, OpenAIChatModel

QUESTION = [Msg("system", "Be brief.", "system"), Msg("user", "The capital of Italy?", "user")]
MODELS = [
    (OpenAIChatModel, OpenAIChatFormatter, "gpt-4o"),
    (AnthropicChatModel, AnthropicChatFormatter, "claude-sonnet-4-5"),
]


async def main():
    for model, formatter, name in MODELS:
        messages = await formatter().format(QUESTION)
        for stream in (False, True):
            answer = await model(model_name=name, api_key="none-is-needed", stream=stream)(messages)
            if stream:
                async for answer in answer:
                    pass
            print(name, stream, answer.content[-1]["text"])


asyncio.run(main())
