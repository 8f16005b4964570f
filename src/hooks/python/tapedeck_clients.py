"""Hides our variables from clients that refuse them beside arguments of their own. PYTEST_DONT_REWRITE

AnthropicBedrock refuses keys of AWS beside a token, AnthropicFoundry a resource beside an address, even in the
environment. If the environment selects Vertex, google-genai sends paths without the model to our address. Without the
variable the guard finds the last two by their hosts.
"""

import functools
import os

from tapedeck_hooks import IS_GUARDED

_PLACEHOLDER = "tapedeck-placeholder-key"
_AWS = ("aws_secret_key", "aws_access_key", "aws_region", "aws_profile", "aws_session_token")


def _is_ours(value):
    if value == _PLACEHOLDER:
        return True
    return bool(IS_GUARDED and value) and value.startswith(os.environ.get("TAPEDECK_URL", "") + "/")


def _without(name, is_in_the_way):
    """Removes a variable of ours during a call of a method, if it is in the way of the arguments."""

    def wrap(method):
        @functools.wraps(method)
        def wrapped(self, *args, **kwargs):
            value = os.environ.get(name)
            if not _is_ours(value) or not is_in_the_way(args, kwargs):
                return method(self, *args, **kwargs)
            del os.environ[name]
            try:
                return method(self, *args, **kwargs)
            finally:
                os.environ[name] = value

        return wrapped

    return wrap


def _gives_keys(args, kwargs):
    given = dict(zip(_AWS, args), **kwargs)
    return any(given.get(name) is not None for name in _AWS if name != "aws_region")


def _gives_resource(_args, kwargs):
    return (kwargs.get("resource") or os.environ.get("ANTHROPIC_FOUNDRY_RESOURCE")) is not None


def _hook(wrap, *names):
    def hook(module):
        for name in names:
            client = getattr(module, name)
            client.__init__ = wrap(client.__init__)

    return hook


hook_bedrock = _hook(_without("AWS_BEARER_TOKEN_BEDROCK", _gives_keys), "AnthropicBedrock", "AsyncAnthropicBedrock")
hook_foundry = _hook(_without("ANTHROPIC_FOUNDRY_BASE_URL", _gives_resource), "AnthropicFoundry", "AsyncAnthropicFoundry")


def hook_genai(module):
    address_of = module.get_base_url

    @functools.wraps(address_of)
    def wrapped(*args, **kwargs):
        address = address_of(*args, **kwargs)
        says = [os.environ.get("GOOGLE_GENAI_USE_" + name, "").lower() for name in ("VERTEXAI", "ENTERPRISE")]
        return None if _is_ours(address) and ("true" in says or "1" in says) else address

    module.get_base_url = wrapped
