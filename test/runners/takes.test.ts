import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { casesOf } from "../support/cases.ts";
import { aServer } from "../support/a-server.ts";
import { packageFolder } from "./support/installed.ts";
import { because, missing, python } from "./support/python.ts";

/*
 * Each client makes the same call six times at once. With LATE, connections are opened in the reverse order of the calls.
 * Prints, by client, the answers in the order of the calls.
 */
const PYTHON = `import asyncio, json, os, socket, threading, time
import httpx, urllib.request
from asyncio.base_events import BaseEventLoop

base = os.environ.get("IN_CODE") or os.environ["OPENAI_BASE_URL"]
url, count, opened = base + "/chat/completions", 6, 0

def wait():
    global opened
    opened += 1
    return 0.05 * (count - opened % count) if os.environ.get("LATE") else 0

connect, create = socket.socket.connect, BaseEventLoop.create_connection

def late_connect(self, address):
    time.sleep(wait())
    return connect(self, address)

async def late_create(self, *args, **named):
    await asyncio.sleep(wait())
    return await create(self, *args, **named)

socket.socket.connect, BaseEventLoop.create_connection = late_connect, late_create

def asking(way):
    return {"model": "m", "messages": [{"role": "user", "content": way}]}

def said(answer):
    return answer["choices"][0]["message"]["content"]

async def with_httpx(way):
    async with httpx.AsyncClient(timeout=None) as client:
        async def ask():
            return said((await client.post(url, json=asking(way))).json())
        return await asyncio.gather(*(ask() for _ in range(count)))

async def with_aiohttp(way):
    import aiohttp
    async with aiohttp.ClientSession() as session:
        async def ask():
            async with session.post(url, json=asking(way)) as reply:
                return said(await reply.json())
        return await asyncio.gather(*(ask() for _ in range(count)))

async def with_openai(way):
    import openai
    async with openai.AsyncOpenAI(api_key="own", base_url=base, max_retries=2) as client:
        async def ask():
            return (await client.chat.completions.create(**asking(way))).choices[0].message.content
        return await asyncio.gather(*(ask() for _ in range(count)))

def in_threads(ask):
    def run(way):
        answers = [None] * count
        def answer(at):
            answers[at] = said(ask(way))
        threads = [threading.Thread(target=answer, args=(at,)) for at in range(count)]
        for thread in threads:
            before = opened
            thread.start()
            while opened == before and thread.is_alive():
                time.sleep(0.001)
        for thread in threads:
            thread.join()
        return answers
    return run

def with_urllib(way):
    data = json.dumps(asking(way)).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, {"content-type": "application/json"})) as reply:
        return json.load(reply)

def with_requests(way):
    import requests
    return requests.post(url, json=asking(way)).json()

client = httpx.Client(timeout=None)
ways = {
    "httpx": lambda way: asyncio.run(with_httpx(way)),
    "aiohttp": lambda way: asyncio.run(with_aiohttp(way)),
    "openai": lambda way: asyncio.run(with_openai(way)),
    "httpx in threads": in_threads(lambda way: client.post(url, json=asking(way)).json()),
    "requests in threads": in_threads(with_requests),
    "urllib in threads": in_threads(with_urllib),
}
asked = json.loads(os.environ["WAYS"]) or list(ways)
print(json.dumps({way: ways[way](way) for way in asked}))
`;

const NODE = `import http from "node:http";
import https from "node:https";
import net from "node:net";
import axios from "axios";
import OpenAI from "openai";

const base = process.env.IN_CODE || process.env.OPENAI_BASE_URL;
const [url, count] = [base + "/chat/completions", 6];
let opened = 0;
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  opened += 1;
  this.connecting = true;
  setTimeout(() => connect.apply(this, args), process.env.LATE ? 50 * (count - (opened % count)) : 0);
  return this;
};

const asking = (way) => ({ model: "m", messages: [{ role: "user", content: way }] });
const said = (answer) => answer.choices[0].message.content;
const headers = { "content-type": "application/json" };
const alone = { ...headers, connection: "close" };
const openai = new OpenAI({ apiKey: "own", baseURL: base, maxRetries: 2 });

const ways = {
  openai: async (way) => said(await openai.chat.completions.create(asking(way), { headers: { connection: "close" } })),
  fetch: async (way) =>
    said(await (await fetch(url, { method: "POST", headers: alone, body: JSON.stringify(asking(way)) })).json()),
  "node:http": (way) =>
    new Promise((resolve, reject) => {
      const { request } = url.startsWith("https") ? https : http;
      const asked = request(url, { method: "POST", headers, agent: false }, (reply) => {
        let text = "";
        reply.setEncoding("utf8").on("data", (piece) => (text += piece));
        reply.on("end", () => resolve(said(JSON.parse(text))));
      });
      asked.on("error", reject).end(JSON.stringify(asking(way)));
    }),
  axios: async (way) => said((await axios.post(url, asking(way))).data),
};
const answers = {};
for (const [way, ask] of Object.entries(ways))
  answers[way] = await Promise.all(Array.from({ length: count }, () => ask(way)));
console.log(JSON.stringify(answers));
process.exit();
`;

/** Answers each call with its number, by arrival. The second call by OpenAI's client is answered when it is made again. */
async function aCountingUpstream(): Promise<string> {
  let number = 0;
  let byOpenai = 0;
  return aServer((request, response) => {
    if (String(request.headers["user-agent"]).includes("OpenAI") && (byOpenai += 1) === 2) {
      request.resume();
      response.writeHead(429, { "content-type": "application/json", "retry-after-ms": "1" });
      response.end('{"error":{"message":"Too many requests"}}');
      return;
    }
    const message = { role: "assistant", content: String((number += 1)) };
    const choices = [{ index: 0, finish_reason: "stop", message }];
    const reply = { id: "1", object: "chat.completion", created: 1, model: "m", choices };
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(reply));
    });
  });
}

/** Clients of Python. An empty list means all of them, whose packages take long to load. */
const WAYS = casesOf({ quick: ["httpx", "urllib in threads"], long: [] });
const VARIABLE = ["the variable", ""] as const;
const CODE = ["code", "https://api.openai.com/v1"] as const;
const languages = [
  { name: `Python${because}`, skip: missing !== undefined, file: "ask.py", text: PYTHON, command: python },
  { name: "Node", skip: false, file: "ask.mjs", text: NODE, command: process.execPath },
];

for (const { name, skip, file, text, command } of languages)
  test.skipIf(skip).each([
    // Node by the variable and Python by its code, unless there is time for all.
    ...casesOf({ quick: name === "Node" ? [VARIABLE] : [CODE], long: [VARIABLE, CODE] }),
  ])(
    `identical calls in ${name} at once, addressed by %s, are replayed in the order in which they were made`,
    async (_, inCode) => {
      const cwd = aProject({ [file]: text, "package.json": "{}" });
      mkdirSync(join(cwd, "node_modules"));
      for (const used of ["axios", "openai"])
        symlinkSync(packageFolder("current", used), join(cwd, "node_modules", used), "junction");
      const run = async (env: Readonly<Record<string, string>>, ...mode: readonly string[]) => {
        const place = { cwd, env: { IN_CODE: inCode, WAYS: JSON.stringify(WAYS), ...env } };
        const { code, stdout, stderr } = await tapedeck(["run", ...mode, "--", command, file], place);
        if (code !== 0) throw new Error(`ended with ${code}\n${stdout}\n${stderr}`);
        return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Readonly<
          Record<string, readonly string[]>
        >;
      };

      const recorded = await run(
        { LATE: "1" },
        "--mode",
        "record",
        "--upstream",
        `openai=${await aCountingUpstream()}`,
      );

      const byArrival = Object.values(recorded).filter((answers) =>
        answers.every((answer, at) => at === 0 || Number(answer) > Number(answers[at - 1])),
      );
      expect(byArrival.length).toBeLessThan(Object.keys(recorded).length);
      for (const env of casesOf({ quick: [{}], long: [{}, { LATE: "1" }] }))
        expect(await run(env)).toEqual(recorded);
    },
  );
