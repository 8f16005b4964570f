"""Asks once with each client, as ask.mjs does: python ask.py WAY."""

import asyncio
import json
import os
import re
import sys
import threading

WAY, ONLY = sys.argv[1], sys.argv[2:]

if WAY != "variable":
    ours = os.environ["TAPEDECK_URL"] + "/"
    for name in [name for name, value in os.environ.items() if value.startswith(ours)]:
        del os.environ[name]
os.environ.update(
    {
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "AKIDOWN",
        "AWS_SECRET_ACCESS_KEY": "own",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_MAX_ATTEMPTS": "1",
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "AGNO_TELEMETRY": "false",
        "HAYSTACK_TELEMETRY_ENABLED": "False",
        "OPENAI_API_KEY": "own",
        "ANTHROPIC_API_KEY": "own",
        "GROQ_API_KEY": "own",
        "MISTRAL_API_KEY": "own",
        "XAI_API_KEY": "own",
        "CO_API_KEY": "own",
        "COHERE_API_KEY": "own",
        "TOGETHER_API_KEY": "own",
        "DEEPSEEK_API_KEY": "own",
        "GOOGLE_API_KEY": "own",
        "REPLICATE_API_TOKEN": "own",
    }
)

OPENAI = "https://api.openai.com/v1"
ANTHROPIC = "https://api.anthropic.com"
GEMINI = "https://generativelanguage.googleapis.com"
BEDROCK = "https://bedrock-runtime.us-east-1.amazonaws.com"
VERTEX = "https://us-east5-aiplatform.googleapis.com/v1"
AZURE = "https://resource.openai.azure.com"
MESSAGES = [{"role": "user", "content": "hello"}]


def at(name, address):
    """Returns the address if it is hard-coded."""
    return {name: address} if WAY == "code" else {}


def said(model):
    return {"model": model, "messages": MESSAGES}


def chat(module, name, **options):
    """Returns a function that asks with a client whose interface is OpenAI's."""

    def ask(id):
        client = getattr(__import__(module), name)(max_retries=0, **options)
        client.chat.completions.create(**said(id))

    return ask


def openai_async(id):
    from openai import AsyncOpenAI

    asyncio.run(AsyncOpenAI(max_retries=0, **at("base_url", OPENAI)).chat.completions.create(**said(id)))


def messages(name, **options):
    """Returns a function that asks with a client of Anthropic's package."""

    def ask(id):
        import anthropic

        getattr(anthropic, name)(max_retries=0, **options).messages.create(max_tokens=9, **said(id))

    return ask


def google_genai(id):
    from google import genai

    options = {"http_options": {"base_url": GEMINI}} if WAY == "code" else {}
    client = genai.Client(api_key="own", **options)
    client.models.generate_content(model=id, contents="hello")


def mistralai(id):
    try:
        from mistralai import Mistral
    except ImportError:
        from mistralai.client import Mistral

    Mistral(api_key="own", **at("server_url", "https://api.mistral.ai")).chat.complete(**said(id))


def cohere(id):
    from cohere import ClientV2

    ClientV2(**at("base_url", "https://api.cohere.com")).chat(**said(id))


def ollama(id):
    import ollama

    ollama.Client(**at("host", "http://127.0.0.1:11434")).chat(**said(id))


def boto3(id):
    import boto3

    content = [{"role": "user", "content": [{"text": "hello"}]}]
    boto3.client("bedrock-runtime", **at("endpoint_url", BEDROCK)).converse(modelId=id, messages=content)


def huggingface_hub(id):
    from huggingface_hub import InferenceClient

    InferenceClient(base_url="https://router.huggingface.co/v1", api_key="own").chat_completion(**said(id))


def replicate(id):
    import replicate

    client = replicate.Client(api_token="own", **at("base_url", "https://api.replicate.com"))
    client.models.predictions.create(model=("owner", id), input={"prompt": "hello"})


def dashscope(id):
    import dashscope

    if WAY == "code":
        dashscope.base_http_api_url = "https://dashscope.aliyuncs.com/api/v1"
    dashscope.Generation.call(api_key="own", result_format="message", **said(id))


def litellm(provider, address):
    def ask(id):
        import litellm

        litellm.completion(model=provider + "/" + id, messages=MESSAGES, num_retries=0, **at("api_base", address))

    return ask


def azure_ai_inference(id):
    from azure.ai.inference import ChatCompletionsClient
    from azure.core.credentials import AzureKeyCredential

    client = ChatCompletionsClient(AZURE + "/openai/deployments/" + id, AzureKeyCredential("own"), retry_total=0)
    client.complete(messages=MESSAGES)


def xai_sdk(id):
    from xai_sdk import Client
    from xai_sdk.chat import user

    chat = Client(timeout=10).chat.create(model=id)
    chat.append(user("hello"))
    chat.sample()


def langchain(module, name, **options):
    def ask(id):
        made = getattr(__import__(module), name)
        made(**dict({"model": id, "max_retries": 0}, **options)).invoke("hello")

    return ask


def llama_index(id):
    from llama_index.llms.openai import OpenAI

    options = at("api_base", OPENAI)
    OpenAI(model="gpt-4o", additional_kwargs={"model": id}, max_retries=0, **options).complete("hello")


def instructor(id):
    import instructor
    from openai import OpenAI
    from pydantic import BaseModel

    class Reply(BaseModel):
        text: str

    client = instructor.from_openai(OpenAI(max_retries=0, **at("base_url", OPENAI)))
    client.chat.completions.create(response_model=Reply, max_retries=1, **said(id))


def openai_agents(id):
    from agents import Agent, Runner, set_default_openai_client, set_tracing_disabled
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    set_default_openai_client(AsyncOpenAI(max_retries=0, **at("base_url", OPENAI)), use_for_tracing=False)
    Runner.run_sync(Agent(name="a", model=id), "hello")


def pydantic_ai(id):
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel(id, provider=OpenAIProvider(api_key="own", **at("base_url", OPENAI)))
    Agent(model).run_sync("hello")


def haystack(id):
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.dataclasses import ChatMessage

    client = OpenAIChatGenerator(model=id, max_retries=0, **at("api_base_url", OPENAI))
    client.run([ChatMessage.from_user("hello")])


def smolagents(id):
    from smolagents import OpenAIModel

    OpenAIModel(model_id=id, client_kwargs={"max_retries": 0}, **at("api_base", OPENAI))(MESSAGES)


def agno(id):
    from agno.agent import Agent
    from agno.models.openai import OpenAIChat

    Agent(model=OpenAIChat(id=id, max_retries=0, **at("base_url", OPENAI)), telemetry=False).run("hello")


OF_AZURE = {} if WAY == "variable" else {"azure_endpoint": AZURE}
OF_VERTEX = {"region": "us-east5", "project_id": "p", "access_token": "own"}

CLIENTS = {
    "openai": chat("openai", "OpenAI", **at("base_url", OPENAI)),
    "openai (AsyncOpenAI)": openai_async,
    "openai (AzureOpenAI)": chat("openai", "AzureOpenAI", api_key="own", api_version="2024-10-21", **OF_AZURE),
    "anthropic": messages("Anthropic", **at("base_url", ANTHROPIC)),
    "anthropic (AnthropicBedrock)": messages("AnthropicBedrock", **at("base_url", BEDROCK)),
    "anthropic (AnthropicVertex)": messages("AnthropicVertex", **OF_VERTEX, **at("base_url", VERTEX)),
    "google-genai": google_genai,
    "groq": chat("groq", "Groq", **at("base_url", "https://api.groq.com")),
    "together": chat("together", "Together", **at("base_url", "https://api.together.xyz/v1")),
    "mistralai": mistralai,
    "cohere": cohere,
    "ollama": ollama,
    "boto3": boto3,
    "huggingface_hub": huggingface_hub,
    "replicate": replicate,
    "dashscope": dashscope,
    "litellm (OpenAI)": litellm("openai", OPENAI),
    "litellm (Anthropic)": litellm("anthropic", ANTHROPIC),
    "azure-ai-inference": azure_ai_inference,
    "langchain-openai": langchain("langchain_openai", "ChatOpenAI", **at("base_url", OPENAI)),
    "langchain-anthropic": langchain("langchain_anthropic", "ChatAnthropic", **at("base_url", ANTHROPIC)),
    "langchain-google-genai": langchain("langchain_google_genai", "ChatGoogleGenerativeAI", **at("base_url", GEMINI)),
    "langchain-mistralai": langchain("langchain_mistralai", "ChatMistralAI", **at("base_url", "https://api.mistral.ai/v1")),
    "langchain-groq": langchain("langchain_groq", "ChatGroq", **at("base_url", "https://api.groq.com")),
    "langchain-ollama": langchain("langchain_ollama", "ChatOllama", **at("base_url", "http://127.0.0.1:11434")),
    "langchain-cohere": langchain("langchain_cohere", "ChatCohere", **at("base_url", "https://api.cohere.com")),
    "langchain-aws": langchain("langchain_aws", "ChatBedrockConverse", **at("endpoint_url", BEDROCK)),
    "langchain-deepseek": langchain("langchain_deepseek", "ChatDeepSeek", **at("api_base", "https://api.deepseek.com/v1")),
    "langchain-xai": langchain("langchain_xai", "ChatXAI", **at("xai_api_base", "https://api.x.ai/v1/")),
    "llama-index-llms-openai": llama_index,
    "instructor": instructor,
    "openai-agents": openai_agents,
    "pydantic-ai-slim": pydantic_ai,
    "haystack-ai": haystack,
    "smolagents": smolagents,
    "agno": agno,
    # Last: what it opens stays open.
    "xai-sdk": xai_sdk,
}

PATIENCE = 60


def tried(call, id):
    """Runs on a separate thread, which is abandoned if it takes too long."""
    found = ["took too long"]

    def run():
        try:
            call(id)
            found[0] = None
        except BaseException as error:
            found[0] = "%s: %s" % (type(error).__name__, error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return found[0]


for name, call in CLIENTS.items():
    if ONLY and name not in ONLY:
        continue
    id = "py." + re.sub(r"[^a-z0-9]+", ".", name.lower()).rstrip(".") + ".end"
    error = tried(call, id)
    print(json.dumps({"client": name, "id": id, "error": error and " ".join(error.split())[:300]}), flush=True)
os._exit(0)
