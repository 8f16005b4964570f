"""kosong as it is: its Kimi client, a step with a tool, an answer that is generated."""
import asyncio

import kosong
from kosong.chat_provider.kimi import Kimi
from kosong.message import Message
from kosong.tooling.simple import SimpleToolset


async def main():
    provider = Kimi(model="kimi-k2-turbo-preview", api_key="none-is-needed")
    question = [Message(role="user", content="The capital of Italy?")]
    generated = await kosong.generate(provider, "Be brief.", [], question)
    print("generate:", generated.message.extract_text())
    stepped = await kosong.step(provider, "Be brief.", SimpleToolset(), question)
    print("step:", stepped.message.extract_text(), len(await stepped.tool_results()))


asyncio.run(main())
