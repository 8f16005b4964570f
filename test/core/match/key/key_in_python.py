"""
The key of docs/key.md, from that text alone: reads vectors on standard input, writes their keys, one a line.
Arguments are the paths of docs/tables/operations.md, which gives the operation of a vector without one, and of docs/key.md,
which lists the headers that take no part.
"""

import base64
import decimal
import hashlib
import json
import math
import re
import sys

CREDENTIALS = {"api_key", "api-key", "apikey", "access_token"}
CREDENTIALS_OF = {"gemini": {"key"}, "vertex": {"key"}}
CREDENTIAL_HEADER = re.compile("auth|(?:api|subscription)-?key|token|secret|cookie|passw|credential|signature")
TELLING = re.compile(
    "(?:x-)?anthropic-beta|anthropic-version|azureml-model-deployment|extra-parameters|groq-model-version"
    "|if-modified-since|if-none-match|last-event-id|openai-beta|prefer|range|x-goog-fieldmask|x-http-method-override"
    "|x-ms-oai-image-generation-deployment|x-policy-id|x-use-cache|x-wait-for-model"
    "|x-amzn-bedrock-[a-z-]+|x-vertex-ai-llm-[a-z-]+|x-dashscope-(async|datainspection|ossresourceresolve)"
    "|x-portkey-(config|provider|virtual-key|custom-host|aws-region|azure-[a-z-]+|vertex-[a-z-]+)"
    "|helicone-(target-url|target-provider|openai-api-base|model-override|fallbacks)"
)
SILENT = []
ANNOUNCED = {}
USUAL_TYPE = re.compile(r"(application/octet-stream|text/plain|multipart/.*|[^/]+/(json|.+\+json))")
USUAL_FORMS = {"*/*", "application/*", "application/json"}
UNRESERVED = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")


def main():
    rows = table(sys.argv[1])
    SILENT.extend(map(re.compile, lists(sys.argv[2])[0]))
    for line in lists(sys.argv[2])[1]:
        kind, pattern = line.split(maxsplit=1)
        ANNOUNCED[kind] = re.compile(pattern.removesuffix("$") + r"\Z", re.ASCII | re.IGNORECASE)
    for vector in json.load(sys.stdin):
        vector.setdefault("operation", operation(rows, vector))
        body = base64.b64decode(vector["bodyBase64"])
        head, text = canonical(vector, body)
        form = head + "\n" + text
        print("sha256:" + hashlib.sha256(form.encode("utf-8")).hexdigest())


ROW = re.compile(r"\| `([^`]+)` \| `(\S+) (\S+)`(?:, `([^:]+): ([^`]+)`)? \| ([^|]+) \|")


def lists(page):
    with open(page, encoding="utf-8") as text:
        return [part.split("\n```")[0].split("\n") for part in text.read().split("```text\n")[1:]]


def table(page):
    with open(page, encoding="utf-8") as lines:
        return [row.groups() for row in map(ROW.fullmatch, map(str.strip, lines)) if row]


def operation(rows, vector):
    path = vector["path"].partition("?")[0]
    headers = {(name.lower(), value) for name, value in vector.get("headers", [])}
    found = [
        (name is not None, len(shape), said)
        for said, method, shape, name, value, providers in rows
        if vector["provider"] in providers.split(", ")
        and vector["method"].upper() == method
        and re.fullmatch(re.escape(shape).replace("…", ".*").replace(r"\*", "[^/]+?"), path)
        and (name is None or (name, value) in headers)
    ]
    return max(found)[2] if found else "http"


FOLDERS = ("temp", "home", "project", "repository")
LETTER = "[A-Za-z0-9\u00c0-\u024f]"


def search(pattern, text, flags=0):
    return re.search(pattern, text, re.ASCII | flags) is not None


def counts(text, start, end, origin):
    before, after, made = text[max(0, start - 32) : start], text[end : end + 2], text[start:end]
    if search(r" of [0-9a-f]{12}(?:\.\d+)?(?: after [0-9a-f]{12}(?:\.\d+)?)?\Z", origin):
        is_joined = search(r"[\w-]\Z", before) and not search(r"%[0-9A-Fa-f]{2}\Z", before)
        return not is_joined and not search(r"^[\w-]", after)
    if origin.startswith(FOLDERS):
        return not search(r"[\w.]\Z", before) and not search(r"^(?:[\w-]|\.\w)", after)
    for kind, announced in ANNOUNCED.items():
        if origin.startswith(kind) and not announced.search(before):
            if kind != "user" or not search(r"^@\w", after):
                return False
    if re.match(LETTER, made[0]) and re.search(LETTER + r"\Z", before):
        return False
    if re.match(LETTER, made[-1]) and re.match(LETTER, after):
        return False
    if not search("[A-Za-z]", made):
        signs = ":.," if origin.startswith("now: ") else ":.,/-"
        if search(r"\d[%s]\Z" % signs, before) and not origin.startswith("port"):
            return False
        if search(r"^[%s]\d" % signs, after):
            return False
    if len(made) >= 8 or origin.startswith(("port", "pid", "random")):
        return True
    return not search(r"[\w.-][_-]\Z|^[_-]\Z", before) and not search(r"^[_-]\w", after)


def with_origins(text, values):
    found = []
    for made, origin in values.items():
        start = text.find(made)
        while start >= 0:
            if counts(text, start, start + len(made), origin):
                found.append((start, start + len(made), origin))
            start = text.find(made, start + 1)
    kept = []
    for start, end, origin in sorted(found, key=lambda place: (place[0] - place[1], place[0])):
        if all(end <= other[0] or other[1] <= start for other in kept):
            kept.append((start, end, origin))
    for start, end, origin in sorted(kept, reverse=True):
        text = text[:start] + "<" + origin + ">" + text[end:]
    return text


def tree_with_origins(tree, values):
    if isinstance(tree, Lexeme):
        origin = values.get(tree, "")
        return "<" + origin + ">" if re.match("now: (milli|micro|nano)?seconds", origin) else tree
    if isinstance(tree, str):
        return with_origins(tree, values)
    if isinstance(tree, list):
        return [tree_with_origins(item, values) for item in tree]
    if isinstance(tree, dict):
        return {name: tree_with_origins(item, values) for name, item in tree.items()}
    return tree


def canonical(vector, body):
    values = vector.get("values", {})
    path, _, query = with_origins(vector["path"], values).partition("?")
    pairs = [pair for pair in query.split("&") if not credential(pair, vector["provider"])]
    pairs = [normal(pair) for pair in pairs if pair]
    pairs.sort(key=lambda pair: (units(pair.split("=")[0]), units(pair)))
    kind, text = canonical_body(body, vector.get("contentType"), values, vector["operation"])
    head = ["tapedeck-v1", vector["provider"], vector["operation"], vector["method"].upper()]
    head += [normal(path), "&".join(pairs), kind, *headers(vector)]
    return "[" + ",".join(string(part) for part in head) + "]", text


def credential(pair, provider):
    name = unquoted(pair.partition("=")[0]).lower()
    return name in CREDENTIALS or name in CREDENTIALS_OF.get(provider, ())


def headers(vector):
    values = {}
    for name, value in vector.get("headers", []):
        name = name.lower()
        if takes_part(name, vector["operation"]):
            values.setdefault(name, []).extend(items_of(name, value))
    for name in sorted(values):
        items = values[name]
        if name == "anthropic-beta":
            items = sorted(set(items))
        if items and not any(usual(name, item) for item in items):
            yield name
            yield hidden(", ".join(items))


def takes_part(name, operation):
    if CREDENTIAL_HEADER.search(name):
        return False
    if TELLING.fullmatch(name):
        return True
    if operation != "http":
        return (name, operation) == ("accept", "invoke")
    return not any(pattern.search(name) for pattern in SILENT)


def hidden(text):
    runs = re.findall("[A-Za-z0-9]{16,}", text)
    mixed = any(re.search("[A-Za-z]", run) and re.search("[0-9]", run) for run in runs)
    if not mixed or re.fullmatch("sha256:[0-9a-f]{64}", text):
        return text
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def items_of(name, value):
    if name == "content-type":
        first, *others = [part.strip().lower() for part in value.split(";")]
        return ["; ".join([first, *(part for part in others if part not in ("", "charset=utf-8"))])]
    items = [item.strip() for item in value.split(",") if item.strip()]
    return [item.lower() for item in items] if name == "accept" else items


def usual(name, item):
    form = item.split(";")[0].strip()
    if name == "accept":
        return form in USUAL_FORMS
    if name == "content-type":
        return USUAL_TYPE.fullmatch(form) is not None
    return (name, item) == ("anthropic-version", "2023-06-01")


def unquoted(text):
    return re.sub("%([0-9a-fA-F]{2})", lambda m: chr(int(m[1], 16)), text)


def normal(text):
    def one(match):
        byte = int(match[1], 16)
        return chr(byte) if byte in UNRESERVED else match[0].upper()

    return re.sub("%([0-9a-fA-F]{2})", one, text)


def without_numbers(tree):
    if not isinstance(tree, dict) or tree.get("jsonrpc") != "2.0" or not isinstance(tree.get("method"), str):
        return tree
    meta = tree["params"].get("_meta") if isinstance(tree.get("params"), dict) else None
    for numbered, name in (tree, "id"), (meta, "progressToken"):
        if isinstance(numbered, dict) and numbered.get(name) is not None:
            numbered[name] = Lexeme("0")
    return tree


def canonical_body(body, content_type, values, operation):
    if not body:
        return "empty", ""
    essence = (content_type or "").split(";")[0].strip().lower()
    if re.fullmatch(r"[^/]+/(json|.+\+json)", essence):
        tree = json.loads(body, parse_int=Lexeme, parse_float=Lexeme)
        tree = tree_with_origins(tree, values)
        return "json", value(without_numbers(tree) if operation == "http" else tree)
    if essence.startswith("multipart/"):
        return "multipart", parts(body, content_type)
    return "bytes", hashlib.sha256(body).hexdigest()


class Lexeme(str):
    pass


def units(text):
    return text.encode("utf-16-be", "surrogatepass")


def string(text):
    out = json.dumps(text, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda m: "\\u%04x" % ord(m[0]), out)


def value(tree):
    if isinstance(tree, Lexeme):
        return number(tree)
    if isinstance(tree, str):
        return string(tree)
    if isinstance(tree, list):
        return "[" + ",".join(value(item) for item in tree) + "]"
    if isinstance(tree, dict):
        names = sorted(tree, key=units)
        return "{" + ",".join(string(name) + ":" + value(tree[name]) for name in names) + "}"
    return {True: "true", False: "false", None: "null"}[tree]


def number(lexeme):
    exact = decimal.Decimal(lexeme)
    if exact == 0:
        return "0"
    double = float(lexeme)
    if math.isfinite(double) and decimal.Decimal(repr(double)) == exact:
        return ecmascript(double)
    sign, digits, power = exact.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    stripped = text.rstrip("0")
    return ("-" if sign else "") + stripped + "e" + str(power + len(text) - len(stripped))


def ecmascript(double):
    """Number::toString of ECMA-262: Python's repr has the same digits and another layout."""
    sign, digits, power = decimal.Decimal(repr(double)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0")
    power += len(digits) - len(text)
    point = len(text) + power
    minus = "-" if sign else ""
    if len(text) <= point <= 21:
        return minus + text + "0" * (point - len(text))
    if 0 < point <= 21:
        return minus + text[:point] + "." + text[point:]
    if -6 < point <= 0:
        return minus + "0." + "0" * -point + text
    exponent = ("+" if point > 0 else "-") + str(abs(point - 1))
    return minus + text[0] + ("." + text[1:] if len(text) > 1 else "") + "e" + exponent


def parts(body, content_type):
    boundary = re.search('boundary="?([^";]+)', content_type)[1].encode()
    rows = []
    for part in body.split(b"--" + boundary)[1:-1]:
        headers, _, content = part[2:-2].partition(b"\r\n\r\n")
        text = headers.decode()
        kind = re.search(r"(?im)^content-type:\s*(.+?)\s*$", text)
        row = [re.search('[; ]name="([^"]*)"', text), re.search('filename="([^"]*)"', text)]
        row = [found and found[1] for found in row]
        row += [kind and kind[1].lower(), hashlib.sha256(content).hexdigest()]
        rows.append("[" + ",".join("null" if cell is None else string(cell) for cell in row) + "]")
    return "[" + ",".join(rows) + "]"


main()
