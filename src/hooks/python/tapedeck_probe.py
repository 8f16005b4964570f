"""What `tapedeck doctor` runs in a project, with the hooks in it; see javascript/probe.cjs. PYTEST_DONT_REWRITE"""

import importlib.util
import json
import os
import platform
import sys

_PATIENCE = 8  # seconds
_HEADERS = {"content-type": "application/json", "authorization": "Bearer probe"}


def _body(name):
    return {"model": "doctor-python-" + name, "messages": [{"role": "user", "content": "probe"}]}


def _urllib(url, name):
    import urllib.error
    import urllib.request

    request = urllib.request.Request(url, json.dumps(_body(name)).encode(), _HEADERS)
    try:
        urllib.request.urlopen(request, timeout=_PATIENCE).read()
    except urllib.error.HTTPError:
        pass  # it was answered


def _requests(url, name):
    import requests

    requests.post(url, json=_body(name), headers=_HEADERS, timeout=_PATIENCE)


def _httpx(url, name):
    import httpx

    httpx.post(url, json=_body(name), headers=_HEADERS, timeout=_PATIENCE)


def _httpx_async(url, name):
    import asyncio

    import httpx

    async def ask():
        async with httpx.AsyncClient(timeout=_PATIENCE) as client:
            await client.post(url, json=_body(name), headers=_HEADERS)

    asyncio.run(ask())


def _aiohttp(url, name):
    import asyncio

    import aiohttp

    async def ask():
        timeout = aiohttp.ClientTimeout(total=_PATIENCE)
        async with aiohttp.ClientSession(timeout=timeout) as session:
            async with session.post(url, json=_body(name), headers=_HEADERS) as reply:
                await reply.read()

    asyncio.run(ask())


def _openai(url, name):
    import openai

    base = url[: -len("/chat/completions")]
    client = openai.OpenAI(api_key="probe", base_url=base, max_retries=0, timeout=_PATIENCE)
    client.chat.completions.create(**_body(name))


_CLIENTS = (
    ("urllib", None, _urllib),
    ("requests", "requests", _requests),
    ("httpx", "httpx", _httpx),
    ("httpx-async", "httpx", _httpx_async),
    ("aiohttp", "aiohttp", _aiohttp),
    ("openai", "openai", _openai),
)


def _tried(call, url, name):
    try:
        call(url, name)
    except Exception as error:
        return {"name": name, "error": "%s: %s" % (type(error).__name__, error)}
    return {"name": name}


def _mocks():
    try:
        import tapedeck_mocks

        found = tapedeck_mocks.what_mocks(os.getcwd())
        return [] if found is None else found[:1]
    except Exception:
        return []


def main(origin):
    by_code = origin + "/v1/chat/completions"
    by_variable = (os.environ.get("OPENAI_BASE_URL") or origin + "/v1") + "/chat/completions"
    clients = [_tried(_urllib, by_variable, "variable")]
    for name, package, call in _CLIENTS:
        if package is None or importlib.util.find_spec(package):
            clients.append(_tried(call, by_code, name))
    said = {
        "version": platform.python_version(),
        "isHooked": hasattr(sys, "_tapedeck"),
        "mocks": _mocks(),
        "clients": clients,
    }
    print("\n" + json.dumps(said))


if __name__ == "__main__":
    main(sys.argv[1])
