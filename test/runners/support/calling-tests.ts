import { HOSTILE } from "../../fixtures/runners/hostile-tests.ts";

/** How a runner is spoken to, where runners differ. */
export interface Dialect {
  /** Declares `describe`, `it` and the four hooks. */
  readonly imports: string;
  /** Begins a suite of tests that may run at the same time, up to its body. */
  readonly concurrent: string;
  /** What declares a test in that suite. */
  readonly concurrentTest?: string;
  /** Whether two tests of a suite may have the same title. */
  readonly namesakes?: boolean;
  /** More tests, in the runner's own words. */
  readonly more?: string;
}

/** The caller's identity, sent as the text of a call's last message. */
export interface Saying {
  readonly file: string;
  readonly path: readonly string[];
  /** The place of the call: in a test, in a hook around each test of the suite `path`, or in one around all of them. */
  readonly part: "test" | "each" | "all";
  readonly how: "chat" | "message" | "gemini" | "events" | "stream" | "raw" | "timer" | "gathered" | "thread";
  /** Of namesakes, the first or the second that is declared. */
  readonly nth?: number;
}

/** A helper in a separate file, with the official SDKs, fetch, and `node:http` behind a timer. */
export const HELPER = `import http from "node:http";
import OpenAI from "openai";
import Anthropic from "@anthropic-ai/sdk";

interface More {
  readonly part?: "test" | "each" | "all";
  readonly nth?: number;
}

const base = process.env.SERVER_URL as string;
const openai = new OpenAI({ apiKey: "none", baseURL: base + "/openai/v1", maxRetries: 0 });
const anthropic = new Anthropic({ apiKey: "none", baseURL: base + "/anthropic", maxRetries: 0 });

export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

export function asks(file: string) {
  const content = (how: string, path: readonly string[], more: More = {}): string =>
    JSON.stringify({ file, path, part: "test", how, ...more });
  const messages = (text: string) => [{ role: "user" as const, content: text }];
  return {
    async chat(path: readonly string[], more?: More): Promise<void> {
      await openai.chat.completions.create({ model: "m", messages: messages(content("chat", path, more)) });
    },
    async message(path: readonly string[], more?: More): Promise<void> {
      await anthropic.messages.create({ model: "m", max_tokens: 9, messages: messages(content("message", path, more)) });
    },
    async events(path: readonly string[], more?: More): Promise<void> {
      const text = messages(content("events", path, more));
      for await (const part of await anthropic.messages.create({ model: "m", max_tokens: 9, stream: true, messages: text })) void part;
    },
    async stream(path: readonly string[], more?: More): Promise<void> {
      const text = messages(content("stream", path, more));
      for await (const part of await openai.chat.completions.create({ model: "m", stream: true, messages: text })) void part;
    },
    async raw(path: readonly string[], more?: More): Promise<void> {
      const reply = await fetch(base + "/openai/v1/x", { method: "POST", body: content("raw", path, more) });
      await reply.text();
    },
    timer: (path: readonly string[], more?: More): Promise<void> =>
      new Promise((done, fail) => {
        setTimeout(() => {
          const sent = http.request(base + "/openai/v1/x", { method: "POST" }, (reply) => reply.resume().on("end", () => done()));
          sent.on("error", fail).end(content("timer", path, more));
        }, 2);
      }),
  };
}
`;

const literal = JSON.stringify;
const SUITE = "outer > \u00e9 (a) [b]";
const LINES = "two\nlines, \"quoted\" and 'quoted' \\";

/** Tests that put the caller into the body of each call. The types in between move the lines of compiled output. */
export function callingTests(file: string, dialect: Dialect): string {
  const { imports, concurrent, concurrentTest = "it", namesakes = true, more = "" } = dialect;
  return `${imports}
import { asks, pause } from "./support/llm";
interface Row {
  readonly name: string;
  readonly ms: number;
}
type Rows = readonly Row[];
const { chat, message, events, stream, raw, timer } = asks(${literal(file)});

it("alone", async () => {
  await chat(["alone"]);
  await message(["alone"]);
});
describe(${literal(SUITE)}, () => {
  const within = (...titles: string[]): string[] => [${literal(SUITE)}, ...titles];
  beforeAll(async () => {
    await raw(within(), { part: "all" });
  });
  afterAll(async () => {
    await raw(within(), { part: "all" });
  });
  beforeEach(async () => {
    await chat(within(), { part: "each" });
  });
  afterEach(async () => {
    await raw(within(), { part: "each" });
  });
  it(${literal(HOSTILE)}, async () => {
    const path = within(${literal(HOSTILE)});
    await Promise.all([chat(path), message(path), stream(path), events(path)]);
  });
  it(${literal(LINES)}, async () => {
    await chat(within(${literal(LINES)}));
  });
  it(\`template \${1 + 1} $& $1\`, async () => {
    await chat(within("template 2 $& $1"));
  });
  for (const n of [1, 2])
    it(\`loop \${n} %s\`, async () => {
      await stream(within(\`loop \${n} %s\`));
    });
  describe("in.ner $x ^ | y*", () => {
    it("timer", () => timer(within("in.ner $x ^ | y*", "timer")));
  });
${namesakes ? NAMESAKES : ""}});
${concurrent}
  const rows: Rows = [{ name: "one", ms: 30 }, { name: "two", ms: 1 }, { name: "three", ms: 15 }];
  for (const { name, ms } of rows)
    ${concurrentTest}(name, async () => {
      const path = ["together", name];
      await pause(ms);
      await chat(path);
      await pause(31 - ms);
      await Promise.all([message(path), raw(path), timer(path)]);
    });
});
${more}`;
}

const NAMESAKES = `  it("same", async () => {
    await chat(within("same"), { nth: 1 });
  });
  it("same", async () => {
    await raw(within("same"), { nth: 2 });
  });
`;
