import { casesOf } from "../../support/cases.ts";

/** Google's SDK takes seconds to import, so only a long run uses it. */
const withoutGoogle = (source: string): string =>
  casesOf({
    quick: source.replaceAll(/^(?:from google import genai| *(?:await )?ask\.gemini\w*\(.*)\n/gm, ""),
    long: source,
  });

/** A helper in a separate file: the official SDKs, both ways, and the standard library. */
export const PYTHON_HELPER = withoutGoogle(`import asyncio, json, os, urllib.request
import anthropic, openai
from google import genai

base = os.environ["SERVER_URL"]
openai_at = {"api_key": "none", "base_url": base + "/openai/v1", "max_retries": 0}
anthropic_at = {"api_key": "none", "base_url": base + "/anthropic", "max_retries": 0}
gemini_at = {"api_key": "none", "http_options": {"base_url": base + "/gemini"}}


def asks(file):
    def content(how, path, more):
        said = {"file": os.path.basename(file), "path": list(path), "part": "test", "how": how}
        return json.dumps({**said, **more})

    def messages(text):
        return [{"role": "user", "content": text}]

    class Asks:
        def chat(self, *path, **more):
            text = content("chat", path, more)
            openai.OpenAI(**openai_at).chat.completions.create(model="m", messages=messages(text))

        def stream(self, *path, **more):
            text = content("stream", path, more)
            for part in openai.OpenAI(**openai_at).chat.completions.create(model="m", messages=messages(text), stream=True):
                pass

        def message(self, *path, **more):
            text = content("message", path, more)
            anthropic.Anthropic(**anthropic_at).messages.create(model="m", max_tokens=9, messages=messages(text))

        def gemini(self, *path, **more):
            text = content("gemini", path, more)
            client = genai.Client(**gemini_at)  # closes itself when nobody holds it
            client.models.generate_content(model="m", contents=text)

        def raw(self, *path, **more):
            data = content("raw", path, more).encode()
            urllib.request.urlopen(urllib.request.Request(base + "/openai/v1/x", data=data)).read()

        async def chat_later(self, *path, **more):
            await asyncio.sleep(0.01)
            text = content("chat", path, more)
            async with openai.AsyncOpenAI(**openai_at) as client:
                await client.chat.completions.create(model="m", messages=messages(text))

        async def message_later(self, *path, **more):
            text = content("message", path, more)
            async with anthropic.AsyncAnthropic(**anthropic_at) as client:
                await client.messages.create(model="m", max_tokens=9, messages=messages(text))

        async def gemini_later(self, *path, **more):
            text = content("gemini", path, more)
            client = genai.Client(**gemini_at)
            await client.aio.models.generate_content(model="m", contents=text)

    return Asks()
`);

/** Test cases that both runners of Python run. */
export const CALLING_CASES = withoutGoogle(`import asyncio, threading, unittest
from llm_helper import asks

ask = asks(__file__)


class TestCase(unittest.TestCase):
    def setUp(self):
        ask.raw("TestCase", part="each")

    def tearDown(self):
        ask.chat("TestCase", part="each")

    def test_plain(self):
        ask.chat("TestCase", "test_plain")
        ask.message("TestCase", "test_plain")
        ask.gemini("TestCase", "test_plain")
        ask.stream("TestCase", "test_plain")
        ask.raw("TestCase", "test_plain")

    def test_plain_too(self):
        thread = threading.Thread(target=ask.raw, args=("TestCase", "test_plain_too"), kwargs={"how": "thread"})
        thread.start()
        thread.join()


class TestLater(unittest.IsolatedAsyncioTestCase):
    async def test_plain(self):
        await ask.chat_later("TestLater", "test_plain")
        await ask.gemini_later("TestLater", "test_plain")
        await asyncio.gather(
            ask.chat_later("TestLater", "test_plain", how="gathered"),
            ask.message_later("TestLater", "test_plain", how="gathered"),
        )
`);

/** The same with what only pytest has. */
export const CALLING_PYTEST = withoutGoogle(`import pytest
${CALLING_CASES}

@pytest.fixture
def asked(request):
    ask.raw("TestTables", part="each")


@pytest.fixture(scope="module", autouse=True)
def shared():
    yield
    ask.raw(part="each")


class TestTables:
    class TestInner:
        def test_row(self):
            ask.chat("TestTables", "TestInner", "test_row")

    @pytest.mark.parametrize("x", ["a::b", "\\u00e9 [c]", "two\\nlines $HOME"])
    def test_row(self, asked, x):
        ask.chat("TestTables", "test_row")

    def test_loop(self):
        asyncio.run(ask.chat_later("TestTables", "test_loop"))


@pytest.mark.asyncio
@pytest.mark.parametrize("ms", [30, 1])
async def test_async(ms):
    await asyncio.sleep(ms / 1000)
    await ask.chat_later("test_async")
    await ask.gemini_later("test_async")
    await asyncio.gather(
        ask.chat_later("test_async", how="gathered"), ask.message_later("test_async", how="gathered")
    )


def test_plain():
    ask.chat("test_plain")
`);
