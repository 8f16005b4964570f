import { describe, expect, it } from "vitest";
import type { KeyedRequest } from "../../../../src/core/match/key/key.ts";
import { featuresOf } from "../../../../src/core/match/nearest/features.ts";
import { mix } from "../../../../src/core/match/nearest/hash.ts";
import { createNearestIndex } from "../../../../src/core/match/nearest/nearest.ts";
import { casesOf } from "../../../support/cases.ts";
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

/** The id that an index of `recorded` finds for `asked`. */
function nearest(recorded: Readonly<Record<string, KeyedRequest>>, asked: KeyedRequest): string | undefined {
  const index = createNearestIndex();
  for (const [id, request] of Object.entries(recorded)) index.add(id, request);
  return index.find(asked)?.id;
}

describe("the nearest recording", () => {
  it("is the one that differs in a word, not one that shares only what all share", () => {
    const recorded = {
      joke: ask("Tell me a joke about cats, please."),
      paris: ask("What is the weather in Paris tomorrow?"),
      capital: ask("Which city is the capital of France?"),
    };

    expect(nearest(recorded, ask("What is the weather in Rome tomorrow?"))).toBe("paris");
  });

  it("is the one with the same question where the system prompt was reworded", () => {
    const recorded = {
      other: ask("Tell me a joke about cats, please."),
      same: ask("What is the weather in Paris?", { system: `${boilerplate} Be brief.` }),
    };

    expect(nearest(recorded, ask("What is the weather in Paris?"))).toBe("same");
  });

  it("is the one with the same question rather than the one with the same system prompt", () => {
    const recorded = {
      system: ask("Tell me a joke about cats, please."),
      question: ask("What is the weather in Paris?", { system: "Be brief." }),
    };

    expect(nearest(recorded, ask("What is the weather in Paris?"))).toBe("question");
  });

  it("prefers the same model among equals, and the same question to the same model", () => {
    const recorded = {
      mini: ask("What is the weather in Paris?", { model: "gpt-4o-mini" }),
      four: ask("What is the weather in Paris?", { model: "gpt-4", system: "Be brief." }),
      joke: ask("Tell me a joke about cats, please.", { model: "gpt-5" }),
    };

    expect(nearest(recorded, ask("What is the weather in Paris?", { model: "gpt-5" }))).toBe("mini");
    expect(
      nearest(recorded, ask("What is the weather in Paris?", { model: "gpt-4", system: "Be kind." })),
    ).toBe("four");
  });

  it("prefers the same system prompt where the questions have nothing in common", () => {
    const recorded = {
      pirate: ask("Ahoy?", { system: "You are a pirate and speak like one." }),
      acme: ask("Ahoy?"),
    };

    expect(nearest(recorded, ask("Who goes there?"))).toBe("acme");
  });

  it("prefers the same system prompt to the same model", () => {
    const recorded = {
      prompt: ask("Ahoy?", { model: "o3" }),
      model: ask("Ahoy?", { system: boilerplate.replace("manual", "handbook") }),
    };

    expect(nearest(recorded, ask("Who goes there?"))).toBe("prompt");
  });

  it("prefers the same tools and settings where all the rest is the same", () => {
    const messages = [{ role: "user", content: "What is the weather in Paris?" }];
    const recorded = {
      other: chat({ messages, temperature: 1, tools: tools.slice(0, 1) }),
      same: chat({ messages, temperature: 0.2, tools }),
      bare: chat({ messages }),
    };

    expect(nearest(recorded, chat({ messages, temperature: 0.2, tools, seed: 1 }))).toBe("same");
    expect(nearest(recorded, chat({ messages, seed: 1 }))).toBe("bare");
  });

  it("is one of the same provider and operation, or none", () => {
    const request = ask("What is the weather in Paris?");
    const recorded = {
      azure: { ...request, provider: "azure" },
      responses: { ...request, operation: "responses" },
    };

    expect(nearest(recorded, request)).toBeUndefined();
    expect(nearest({}, request)).toBeUndefined();
    expect(nearest({ ...recorded, far: chat([]) }, request)).toBe("far");
  });

  it("scores 1 where nothing known differs, and less the more does", () => {
    const index = createNearestIndex();
    index.add("one", ask("What is the weather in Paris?"));

    const scores = [
      ask("What is the weather in Paris?"),
      ask("What is the weather in Rome?"),
      ask("Tell me a joke.", { system: "Be funny.", model: "o3" }),
    ].map((request) => index.find(request)?.score ?? 0);

    expect(scores[0]).toBe(1);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(scores).size).toBe(3);
  });

  it("reads other providers' ways to say it, and scripts without blanks", () => {
    const gemini = (text: string): KeyedRequest =>
      chat({
        systemInstruction: { parts: [{ text: boilerplate }] },
        contents: [{ role: "user", parts: [{ text }] }],
      });
    const recorded = { joke: gemini("给我讲一个关于猫的笑话"), weather: gemini("明天巴黎的天气怎么样") };

    expect(nearest(recorded, gemini("明天罗马的天气怎么样"))).toBe("weather");
  });

  it("is found among bodies that are not JSON too", () => {
    const noise = (seed: number): Uint8Array =>
      Uint8Array.from({ length: 4096 }, (_, at) => ((at * at * seed + 255) % 251) | 128);
    const recorded = {
      text: posted("grant=refresh and some other words", "text/form"),
      other: posted("nothing of that kind", "text/form"),
      noise: posted(noise(3)),
      empty: posted(""),
    };
    const damaged = noise(3).fill(0, 100, 120);

    expect(nearest(recorded, posted("grant=refresh and one other word", "text/form"))).toBe("text");
    expect(nearest(recorded, posted(damaged))).toBe("noise");
  });
});

describe("the index of recorded requests", () => {
  const WORDS =
    "red green blue amber violet stone river cloud engine ticket market winter copper signal garden".split(
      " ",
    );
  const question = (number: number): string =>
    Array.from(
      { length: 12 },
      (_, at) => `${WORDS[(number * 7 + at * at) % WORDS.length]}${(number * (at + 3)) % 997}`,
    ).join(" ");

  it("finds the original among thousands after one word changed, or the model, or the system prompt", () => {
    const index = createNearestIndex();
    for (let number = 0; number < 3_000; number += 1) index.add(`r${number}`, ask(question(number)));
    const asked = Array.from({ length: 60 }, (_, nth) => nth * 49 + 11);

    const found = asked.flatMap((number) => [
      index.find(ask(question(number).replace(/^\S+/, "another")))?.id,
      index.find(ask(question(number), { model: "o3" }))?.id,
      index.find(ask(question(number), { system: "Be brief." }))?.id,
    ]);

    expect(found).toEqual(asked.flatMap((number) => [`r${number}`, `r${number}`, `r${number}`]));
  });

  const MANY = casesOf({ quick: 4_000, long: 100_000 });
  it(`finds the original among ${MANY} without looking at them all`, () => {
    const index = createNearestIndex();
    const shared = Array.from({ length: 200 }, (_, number) => featuresOf(ask(question(number))));
    for (let number = 0; number < MANY; number += 1) {
      const like = shared[number % shared.length]!;
      // Of every third fact another one, so that most facts are those of hundreds of others.
      const hashes = like.hashes.map((hash, at) => (at % 3 === 0 ? mix(hash, number) : hash)).sort();
      const features = { ...like, hashes, lastUser: mix(like.lastUser, number) };
      index.addKnown(`r${number}`, { provider: "openai", operation: "chat.completions", features });
    }
    const asked = Array.from({ length: 60 }, (_, nth) => 1_000 + nth);
    for (const number of asked) index.add(`asked${number}`, ask(question(number)));

    const begun = performance.now();
    const found = asked.map((number) => index.find(ask(question(number).replace(/^\S+/, "another")))?.id);

    const took = (performance.now() - begun) / asked.length;
    console.log(`▸ the nearest among ${MANY} recorded requests: found in ${took.toFixed(1)} ms`);
    expect(found).toEqual(asked.map((number) => `asked${number}`));
  });

  it("forgets what was removed and knows what came in its place", () => {
    const index = createNearestIndex();
    index.add("a", ask("What is the weather in Paris?"));
    index.add("b", ask("Tell me a joke about cats."));

    index.remove("a");
    index.remove("never there");
    const afterRemoval = index.find(ask("What is the weather in Paris?"))?.id;
    index.add("b", ask("What is the weather in Paris?"));
    const afterReplacing = index.find(ask("What is the weather in Paris?"));
    index.remove("b");

    expect(afterRemoval).toBe("b");
    expect(afterReplacing).toEqual({ id: "b", score: 1 });
    expect(index.find(ask("What is the weather in Paris?"))).toBeUndefined();
  });

  it("gives none of another provider, however many there are of it", () => {
    const index = createNearestIndex();
    for (let number = 0; number < 2_000; number += 1) {
      index.add(`azure${number}`, { ...ask(question(number)), provider: "azure" });
    }
    index.add("far", chat([]));

    expect(index.find(ask(question(7)))?.id).toBe("far");
  });

  it("leaves nothing behind of what was removed", () => {
    const index = createNearestIndex();
    for (let number = 0; number < 600; number += 1)
      index.add(`old${number}`, ask("What is the weather in Paris?"));
    for (let number = 0; number < 600; number += 1) index.remove(`old${number}`);
    for (let number = 0; number < 700; number += 1) index.add(`r${number}`, ask(question(number)));

    index.add("paris", ask("What is the weather in Paris?"));

    expect(index.find(ask("What is the weather in Paris?"))).toEqual({ id: "paris", score: 1 });
  });

  it("stays right while many come and go", () => {
    const index = createNearestIndex();
    for (let number = 0; number < 1_500; number += 1) {
      index.add(`r${number}`, ask(question(number)));
      if (number >= 500) index.remove(`r${number - 500}`);
    }

    const found = [1_000, 1_234, 1_499].map((number) => index.find(ask(`${question(number)} more`))?.id);
    const gone = index.find(ask(question(400)));

    expect(found).toEqual(["r1000", "r1234", "r1499"]);
    expect(gone?.score).toBeLessThan(1);
  });
});

describe("requests that are the same but for one place", () => {
  const warm = chat({ model: "gpt-4o", temperature: 0.2, messages: [] });
  const hot = chat({ model: "gpt-4o", temperature: 0.9, messages: [] });

  it("are told as they are now, after one came and after one went", () => {
    const index = createNearestIndex();
    index.add("warm", warm);
    const alone = index.collisionsAt(warm, "/temperature");
    index.add("hot", hot);
    const both = index.collisionsAt(warm, "/temperature");
    index.remove("hot");

    expect(alone).toEqual([]);
    expect(both).toEqual(["warm", "hot"]);
    expect(index.collisionsAt(warm, "/temperature")).toEqual([]);
  });

  it("are told for each place of its own", () => {
    const index = createNearestIndex();
    index.add("warm", warm);
    index.add("hot", hot);

    expect(index.collisionsAt(warm, "/model")).toEqual([]);
    expect(index.collisionsAt(warm, "/temperature")).toEqual(["warm", "hot"]);
  });
});
