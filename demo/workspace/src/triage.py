"""Decides whether a ticket is urgent. Standard library only."""

import json
import os
import urllib.request


def is_urgent(text: str) -> bool:
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        data=json.dumps(
            {
                "model": "gpt-4o-mini",
                "temperature": 0,
                "messages": [
                    {"role": "system", "content": "Is the ticket urgent? Answer with one word: yes or no."},
                    {"role": "user", "content": text},
                ],
            }
        ).encode(),
        headers={
            "content-type": "application/json",
            "authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "none"),
        },
    )
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)
    return answer["choices"][0]["message"]["content"].strip().lower() == "yes"
