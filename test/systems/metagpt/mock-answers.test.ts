import { expect, test } from "vitest";
import { aaskCodeKey } from "../../../src/systems/metagpt/keys.ts";
import { MockLLM } from "../../../src/systems/metagpt/mock-llm.ts";
import { memoryCache } from "../../../src/systems/metagpt/cache/response-cache.ts";

test.each<readonly [stored: unknown, text: string | undefined, code: string | undefined]>([
  ["x", undefined, "object"],
  [{ members: [["a", "b"]] }, "text", undefined],
  [["x"], "text", "object"],
  [{ number: "5" }, "text", "object"],
  [true, "text", "object"],
  [null, undefined, undefined],
])("a stored answer of another kind is reported, case %#", async (stored, text, code) => {
  const logged: string[] = [];
  const options = { log: ({ message }: { message: string }) => void logged.push(message) };
  const toldOf = async (
    key: string,
    call: (llm: MockLLM) => Promise<unknown>,
  ): Promise<string | undefined> => {
    logged.length = 0;
    await call(new MockLLM({ cache: memoryCache([[key, stored as never]]), ...options }));
    return /is no (\w+)/.exec(logged.join("\n"))?.[1];
  };
  const messages = [{ role: "user", content: "q" }];

  expect(await toldOf("q", (llm) => llm.aask("q"))).toBe(text);
  expect(await toldOf(aaskCodeKey(messages, { seesImages: true }), (llm) => llm.aaskCode(messages))).toBe(
    code,
  );
});

test("a live answer that no file can hold is refused, and so are live calls without a client", async () => {
  const answering = (answer: unknown): MockLLM =>
    new MockLLM({ cache: memoryCache(), allowLive: true, live: { aask: async () => answer } as never });

  await expect(answering({ a: [1.5, { b: Number.NaN }] }).aask("q")).rejects.toMatchObject({
    where: "the live answer",
    message: "the live answer: NaN cannot be written to a JSON file",
  });
  await expect(answering({ a: Number.NEGATIVE_INFINITY }).aask("q")).rejects.toThrow("-Infinity cannot be");
  await expect(answering({ a: () => 1 }).aask("q")).rejects.toThrow("the live answer.a: a function cannot");
  expect(await answering({ a: [1.5, null, "NI"] }).aask("q")).toEqual({ a: [1.5, null, "NI"] });
  await expect(new MockLLM({ cache: memoryCache(), allowLive: true }).aask("q")).rejects.toMatchObject({
    where: "live",
    hint: "Give MockLLM a live client.",
  });
  const odd = new MockLLM({ cache: memoryCache(), onMiss: { default: () => 1 } });
  await expect(odd.aask("q", { onMiss: { default: { a: () => 1 } } as never })).rejects.toThrow(
    "the default answer.a: a function cannot",
  );
});
