import { describe, expect, it } from "vitest";
import type { KeyedRequest } from "../../../../src/core/cassette/recorded-request.ts";
import { isNear, readFeatures } from "../../../../src/core/match/nearest/features.ts";
import {
  createFeatureTable,
  findSimilar,
  type ListedRequest,
} from "../../../../src/core/match/nearest/nearest.ts";
import { createNearestFinder } from "../../../../src/core/match/nearest/nearest.ts";
import type { NearestSearch } from "../../../../src/core/match/nearest/nearest.ts";
import type { TestRef } from "../../../../src/core/call/call.ts";
import { readRuledRequest } from "../../../../src/core/match/read-request.ts";
import { createMemoryStore } from "../../../../src/storage/memory-store.ts";
import { aRecording } from "../../../support/a-recording.ts";
import { chat, posted, tool } from "../requests.ts";

const boilerplate =
  "You are a helpful assistant of the Acme company. Answer in the language of the question, never make up facts, " +
  "and cite the pages of the manual that you used. Where you do not know, say so and ask one question back.";
const tools = [
  tool("search", { query: { type: "string" } }),
  tool("get_weather", { city: { type: "string" } }),
];

function ask(
  question: string,
  others: { readonly model?: string; readonly system?: string } = {},
): KeyedRequest {
  const { model = "gpt-4o", system = boilerplate } = others;
  const messages = [
    { role: "system", content: system },
    { role: "user", content: question },
  ];
  return chat({ model, temperature: 0.2, messages, tools });
}

const listed = (entry: string, request: KeyedRequest): ListedRequest => ({
  entry,
  features: readFeatures(request),
});

/** Returns the name of the recorded request that is most similar to another one. */
function nearest(recorded: Readonly<Record<string, KeyedRequest>>, asked: KeyedRequest): string | undefined {
  const all = Object.entries(recorded).map(([entry, request]) => listed(entry, request));
  return findSimilar(asked, createFeatureTable(all), 1)[0]?.entry;
}

const PARIS = "What is the weather in Paris?";
const JOKE = "Tell me a joke about cats, please.";
const BRIEF = { system: "Be brief." };
const messages = [{ role: "user", content: PARIS }];
const gemini = (text: string): KeyedRequest =>
  chat({
    systemInstruction: { parts: [{ text: boilerplate }] },
    contents: [{ role: "user", parts: [{ text }] }],
  });
/** A question after this reply. */
const after = (reply: string, question = "And now?"): KeyedRequest =>
  chat({
    messages: [...messages, { role: "assistant", content: reply }, { role: "user", content: question }],
  });
const noise = (seed: number): Uint8Array =>
  Uint8Array.from({ length: 4096 }, (_, at) => ((at * at * seed + 255) % 251) | 128);

const OTHER_MODELS = {
  mini: ask(PARIS, { model: "gpt-4o-mini" }),
  four: ask(PARIS, { model: "gpt-4", ...BRIEF }),
  joke: ask(JOKE, { model: "gpt-5" }),
};
const SETTINGS = {
  other: chat({ messages, temperature: 1, tools: tools.slice(0, 1) }),
  same: chat({ messages, temperature: 0.2, tools }),
  bare: chat({ messages }),
};
const ELSEWHERE = {
  azure: { ...ask(PARIS), provider: "azure" },
  responses: { ...ask(PARIS), operation: "responses" },
};
const BYTES = {
  text: posted("grant=refresh and some other words", "text/form"),
  other: posted("nothing of that kind", "text/form"),
  noise: posted(noise(3)),
  empty: posted(""),
};

it.each<
  readonly [
    what: string,
    found: string | undefined,
    recorded: Record<string, KeyedRequest>,
    asked: KeyedRequest,
  ]
>([
  [
    "the one that differs in a word, not one that shares only what all share",
    "paris",
    {
      joke: ask(JOKE),
      paris: ask("What is the weather in Paris tomorrow?"),
      capital: ask("Which city is the capital of France?"),
    },
    ask("What is the weather in Rome tomorrow?"),
  ],
  [
    "the one with the same question when the system prompt was reworded",
    "same",
    { other: ask(JOKE), same: ask(PARIS, { system: `${boilerplate} Be brief.` }) },
    ask(PARIS),
  ],
  [
    "the one with the same question rather than the one with the same system prompt",
    "question",
    { system: ask(JOKE), question: ask(PARIS, BRIEF) },
    ask(PARIS),
  ],
  ["the one with the same model among equals", "mini", OTHER_MODELS, ask(PARIS, { model: "gpt-5" })],
  [
    "the one with the same question rather than the same model",
    "four",
    OTHER_MODELS,
    ask(PARIS, { model: "gpt-4", system: "Be kind." }),
  ],
  [
    "the one with the same system prompt when the questions have nothing in common",
    "acme",
    { pirate: ask("Ahoy?", { system: "You are a pirate and speak like one." }), acme: ask("Ahoy?") },
    ask("Who goes there?"),
  ],
  [
    "the one with the same system prompt rather than the same model",
    "prompt",
    {
      prompt: ask("Ahoy?", { model: "o3" }),
      model: ask("Ahoy?", { system: boilerplate.replace("manual", "handbook") }),
    },
    ask("Who goes there?"),
  ],
  [
    "the one with the words of the question in the same order",
    "order",
    {
      words: ask("Send the blue box to the red house"),
      order: ask("Send the red box to the blue house now"),
    },
    ask("Send the red box to the blue house"),
  ],
  [
    "the one with the same reply in between, not one of the same words",
    "reply",
    { words: after("Oslo or Rome, or Paris"), reply: after("Paris or Rome, or Oslo") },
    after("Paris or Rome, or Oslo", "And then?"),
  ],
  ["the one with the same tools", "same", SETTINGS, chat({ messages, temperature: 0.2, tools, seed: 1 })],
  ["the one with as few settings", "bare", SETTINGS, chat({ messages, seed: 1 })],
  ["none of another provider or operation", undefined, ELSEWHERE, ask(PARIS)],
  ["none of nothing", undefined, {}, ask(PARIS)],
  ["the only one of the same operation", "far", { ...ELSEWHERE, far: chat([]) }, ask(PARIS)],
  [
    "the one of another provider's wire, in a script without blanks",
    "weather",
    { joke: gemini("给我讲一个关于猫的笑话"), weather: gemini("明天巴黎的天气怎么样") },
    gemini("明天罗马的天气怎么样"),
  ],
  ["a body of text", "text", BYTES, posted("grant=refresh and one other word", "text/form")],
  ["a body of bytes", "noise", BYTES, posted(noise(3).fill(0, 100, 120))],
])("the nearest recording is %s", (_, found, recorded, asked) => {
  expect(nearest(recorded, asked)).toBe(found);
});

describe("the nearest of many recordings", () => {
  const WORDS =
    "red green blue amber violet stone river cloud engine ticket market winter copper signal garden".split(
      " ",
    );
  const question = (number: number): string =>
    Array.from(
      { length: 12 },
      (_, at) => `${WORDS[(number * 7 + at * at) % WORDS.length]}${(number * (at + 3)) % 997}`,
    ).join(" ");

  it("is the original among thousands after one word changed, or the model, or the system prompt", () => {
    const all = createFeatureTable(
      Array.from({ length: 1_000 }, (_, number) => listed(`r${number}`, ask(question(number)))),
    );
    const asked = Array.from({ length: 20 }, (_, nth) => nth * 49 + 11);

    const found = asked.flatMap((number) => [
      findSimilar(ask(question(number).replace(/^\S+/, "another")), all, 1)[0]?.entry,
      findSimilar(ask(question(number), { model: "o3" }), all, 1)[0]?.entry,
      findSimilar(ask(question(number), { system: "Be brief." }), all, 1)[0]?.entry,
    ]);

    expect(found).toEqual(asked.flatMap((number) => [`r${number}`, `r${number}`, `r${number}`]));
  });
});

const support = {
  role: "system",
  content: "You sort the tickets of a support desk into kinds. Answer with one word.",
};
const asking = (...turns: readonly string[]) =>
  chat({
    model: "gpt-4o-mini",
    messages: [
      support,
      ...turns.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content })),
    ],
  });

describe("the nearest of all recordings is near", () => {
  it.each([
    [
      "a word of the question",
      asking("What is the capital of France?"),
      asking("What is the capital of Spain?"),
    ],
    [
      "the system prompt",
      asking("Say hi"),
      chat({ model: "gpt-5", messages: [{ role: "user", content: "Say hi" }] }),
    ],
    ["one word of two", asking("Say hi"), asking("Say hello")],
    ["a late turn", asking("Hi", "Hello", "Where is it?"), asking("Hi", "Hello", "Cancel my order, please.")],
    ["a text to embed", posted('{"input":["one red lamp"]}'), posted('{"input":["one blue lamp"]}')],
  ])("where it differs in %s", (_, recorded, asked) => {
    expect(isNear(recorded, asked)).toBe(true);
  });

  it.each([
    [
      "the model and the system prompt",
      asking("Where is my parcel? I ordered it two weeks ago."),
      asking("Cannot log in. The password reset mail never comes."),
    ],
    [
      "a few small words",
      asking("What is the weather in Paris?"),
      asking("How old is the king of Spain in years?"),
    ],
    ["no word of one", asking("Hi"), asking("Bonjour")],
  ])("and not when it has nothing in common but %s", (_, recorded, asked) => {
    expect(isNear(recorded, asked)).toBe(false);
  });
});

describe("the recording of a short prompt that was changed", () => {
  const test = { file: "a.test.ts", name: ["greets"] };
  const recorded = aRecording({ question: "Hi Italy", test });
  const { provider, operation } = recorded;

  async function findFor(asked: string, by: TestRef): Promise<NearestSearch> {
    const store = createMemoryStore();
    await store.save(recorded, 1);
    const find = createNearestFinder({ store, normalizer: () => undefined });
    const { request } = aRecording({ question: asked });
    const call = { provider, ...request, headers: [], test: by };
    return await find({ call, protocol: { operation }, headers: [] } as never);
  }

  it("is found if the same test recorded it", async () => {
    const { nearest: found } = await findFor("Bonjour France", { ...test, line: 7 });

    expect(found?.differences).toHaveLength(1);
  });

  it("is not found if another test recorded it", async () => {
    expect(await findFor("Bonjour France", { ...test, name: ["leaves"] })).toEqual({});
  });
});

describe("the nearest of equally similar recordings", () => {
  it("is the one of the test that made the call, whatever was recorded first", async () => {
    const tests = ["first", "second", "third"].map((name) => ({ file: "a.test.ts", name: [name] }));
    const store = createMemoryStore();
    const cities = ["Rome", "Bern", "Kyiv"];
    for (const [nth, test] of tests.entries())
      await store.save(aRecording({ question: `the weather in ${cities[nth]}`, test }), 1);
    const find = createNearestFinder({ store, normalizer: () => undefined });
    const { provider, operation, request } = aRecording({ question: "the weather in Oslo" });

    const found = await Promise.all(
      tests.map(async (test) => {
        const call = { provider, ...request, headers: [], test };
        const { nearest: one } = await find({ call, protocol: { operation }, headers: [] } as never);
        return one && (await store.read(one.entry)).test?.name[0];
      }),
    );

    expect(found).toEqual(["first", "second", "third"]);
  });
});

describe("the nearest in a folder of more than 20,000 recordings", () => {
  it("is one of the newest 20,000, and the search reports how many were not compared", async () => {
    const recorded = aRecording({ question: "Where is order 41?" });
    const { provider, operation, request } = recorded;
    const other = { ...ask("something else"), operation };
    const all = Array.from({ length: 20_003 }, (_, nth) => {
      const key = `sha256:${String(nth).padStart(64, "0")}` as const;
      return { entry: `r${nth}`, provider, key, take: 1 };
    });
    const near = readRuledRequest(recorded, undefined);
    const read: string[] = [];
    const find = createNearestFinder({
      store: {
        ...createMemoryStore(),
        list: async () => all,
        read: async (entry) => (read.push(entry), recorded),
      },
      normalizer: () => undefined,
      // The nearest is among the oldest, and the next one among the newest.
      readRequest({ entry }) {
        const recordedRequest = Number(entry.slice(1)) % 20_000 === 2 ? near : other;
        return { ...recordedRequest, readTree: () => recordedRequest };
      },
      newest: (some, count) => some.slice(-count),
    });

    const call = { provider, ...request, headers: [] };
    const found = await find({ call, protocol: { operation }, headers: [] } as never);

    expect(found).toMatchObject({ nearest: { entry: "r20002" }, uncompared: 3 });
    expect(read).toEqual(["r20002"]);
  });
});
