import { expect, test } from "vitest";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { anAgentServer } from "../support/an-agent-server.ts";
import { because, missing, python } from "./support/python.ts";

/** Each reads the stream of an agent, answers it in the middle with the text, and leaves. */
const CLIENTS: Readonly<Record<string, string>> = {
  openai: `
from openai import OpenAI
sessions = OpenAI(max_retries=0).beta.agents.sessions
with sessions.events.stream("asess_1") as stream:
    message = {"role": "user", "content": [{"type": "input_text", "text": "hello"}]}
    sessions.events.create("asess_1", events=[{"type": "agent.session.input.message", "input": [message]}])
    for event in stream:
        print(event.type)
        if event.type == "agent.session.turn.item.added":
            result = {"type": "agent.session.input.tool_result", "turn_id": "turn_1", "call_id": "call_1", "success": True, "output": text}
            sessions.events.create("asess_1", events=[result])
        if event.type == "agent.session.idle":
            break
`,
  anthropic: `
from anthropic import Anthropic
events = Anthropic(max_retries=0).beta.sessions.events
def send(said):
    events.send("sesn_1", events=[{"type": "user.message", "content": [{"type": "text", "text": said}]}])
with events.stream("sesn_1") as stream:
    send("hello")
    turns = 0
    for event in stream:
        print(event.type)
        turns += event.type == "session.status_idle"
        if turns == 2:
            break
        if event.type == "session.status_idle":
            send(text)
`,
  gemini: `
from google import genai
client = genai.Client(http_options={"retry_options": {"attempts": 1}})
interactions = client.interactions
for event in interactions.get("v1_1", stream=True):
    print(event.event_type)
    if event.event_type == "step.delta":
        interactions.cancel("v1_1" if text == "bye" else "v1_2")
`,
};

test.skipIf(missing !== undefined).each(Object.entries(CLIENTS))(
  `a stream of an agent is recorded, replayed by cause, and missed, by the Python SDK of %s${because}`,
  async (name, code) => {
    const upstream = await anAgentServer();
    const cwd = aProject({ "ask.py": `import sys\ntext = sys.argv[1]\n${code}print("left")\n` });
    const env = { OPENAI_API_KEY: "sk-own", ANTHROPIC_API_KEY: "sk-own", GEMINI_API_KEY: "own" };
    const ask = (mode: string, text: string) =>
      tapedeck(
        ["run", "--mode", mode, "--upstream", `${name}=${upstream.url}`, "--", python, "ask.py", text],
        { cwd, env },
      );

    const recorded = await ask("record", "bye");
    const sent = upstream.opened.length;
    const replayed = await ask("strict", "bye");
    const missed = await ask("strict", "good night");

    expect(recorded.stdout).toMatch(/\nleft\n$/);
    expect(recorded.stderr).toContain(`${sent} recorded`);
    expect(replayed.stdout).toBe(recorded.stdout);
    expect(missed.stdout).not.toContain("left");
    expect(missed.stderr).toContain("No recording for this");
    expect([recorded.code, replayed.code]).toEqual([0, 0]);
    expect(missed.code).not.toBe(0);
    expect(upstream.opened).toHaveLength(sent);
  },
);
