import { expect, test } from "vitest";
import {
  chatError,
  checkOutputValue,
  fixedClient,
  functionClient,
  readOutput,
  repairingOutput,
  runTools,
  scriptedClient,
  stepWithTools,
  textOf,
  user,
  type ChatRequest,
} from "../../../src/client/index.ts";
import { realSurroundings } from "../../../src/client/surroundings.ts";
import { given } from "../bad-input/cells.ts";

const schema = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a"],
};
const asked: ChatRequest = { messages: [user("hi")], output: { schema } };

test.each<readonly [answer: string, output: unknown]>([
  ['{"a":1} and more', { a: 1 }],
  ['Here: {"a":1}', { a: 1 }],
  ['```json\n{"a":1}\n```\nso', { a: 1 }],
  ['```\n{"a":2}\n``` and ```json \n{"a":1}\n```', { a: 2 }],
  ['```\n{"b":2}\n``` and ```json\n{"a":1}\n```', { a: 1 }],
])("JSON is taken out of %j, without asking again", async (answer, output) => {
  const inner = fixedClient(answer);

  expect((await repairingOutput(inner).complete(asked)).output).toEqual(output);
  expect(inner.calls).toHaveLength(1);
});

test("a model is asked again as often as that is wanted, with what was wrong", async () => {
  const inner = functionClient(() => "no");
  const silent = scriptedClient(["", '{"a":1}']);

  await expect(repairingOutput(inner).complete(asked)).rejects.toMatchObject({ kind: "validation" });
  expect(inner.calls).toHaveLength(2);
  await expect(repairingOutput(inner, { attempts: 0 }).complete(asked)).rejects.toThrow("not JSON");
  expect(inner.calls).toHaveLength(3);
  await expect(repairingOutput(inner, { attempts: 2 }).complete(asked)).rejects.toThrow("not JSON");
  expect(inner.calls).toHaveLength(6);
  expect(inner.calls[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(textOf(inner.calls[1]!.messages[2]!)).toMatch(
    /is not JSON: "no"\nAnswer again with JSON that matches the schema, without any other text\.$/,
  );
  expect((await repairingOutput(silent).complete(asked)).output).toEqual({ a: 1 });
  expect(silent.calls[1]?.messages.map(({ role }) => role)).toEqual(["user", "user"]);
  for (const attempts of [-1, 0.5])
    expect(() => repairingOutput(inner, { attempts })).toThrow("attempts: a whole number from 0 on");
});

test("what has nothing to do with the answer's form is not asked again", async () => {
  const inner = functionClient(() => chatError("timeout", "slow"));

  await expect(repairingOutput(inner).complete(asked)).rejects.toMatchObject({ kind: "timeout" });
  expect(inner.calls).toHaveLength(1);
});

test("faults of a structured answer are reported together, at most five", async () => {
  const items = { type: "array", items: { type: "number" } };

  await expect(readOutput({ schema }, '{"a":"x","b":"y"}')).rejects.toMatchObject({
    message:
      "The structured answer does not fit its schema: " +
      "'x' is not of type 'number' at /a; 'y' is not of type 'number' at /b",
    where: "reply",
    retryable: true,
    answer: '{"a":"x","b":"y"}',
    hint: "Retry the call, or repair the answer with the wrapper repairingOutput.",
  });
  await expect(readOutput({ schema: items }, '["a","b","c","d","e","f"]')).rejects.toThrow(
    /^[^;]*(?:;[^;]*){4}$/,
  );
});

test("without tools none are sent, and an answer that does not fit is reported whole", async () => {
  const inner = fixedClient("ok");
  const call = { type: "tool-call", id: "c", name: "f", arguments: '{"a":"x","b":"y"}' } as const;
  const calling = scriptedClient([[call], "done"]);
  const tool = { name: "f", parameters: schema, run: () => "never" };

  await stepWithTools(inner, { messages: [user("hi")] }, []);
  const { messages, steps, done } = await runTools(calling, { messages: [user("hi")] }, [tool]);

  expect(Object.keys(inner.calls[0]!)).not.toContain("tools");
  expect([steps.length, done]).toEqual([2, true]);
  expect(messages[2]?.parts).toEqual([
    {
      type: "tool-result",
      callId: "c",
      name: "f",
      content:
        "The arguments do not match the schema: 'x' is not of type 'number' at /a; 'y' is not of type 'number' at /b",
      isError: true,
    },
  ]);
});

test("a sleep ends when its signal does, before it begins or while it lasts", async () => {
  const world = realSurroundings();
  const controller = new AbortController();
  const sleeping = world.sleep(60_000, controller.signal);
  controller.abort(new Error("left"));

  await expect(sleeping).rejects.toMatchObject({ kind: "cancelled", cause: { message: "left" } });
  await expect(world.sleep(60_000, controller.signal)).rejects.toMatchObject({ kind: "cancelled" });
  await world.sleep(0);
  expect(world.id()).toMatch(/^[0-9a-f]{32}$/);
  expect(Math.abs(world.now() - Date.now())).toBeLessThan(60_000);
});

test("five faults of a structured answer are reported, with steps as bare keys or as separate keys", async () => {
  const properties = Object.fromEntries(Array.from("abcdefg", (name) => [name, { type: "null" }]));
  const value = Object.fromEntries(Array.from("abcdefg", (name) => [name, 1]));
  const stepped = {
    "~standard": {
      version: 1,
      vendor: "own",
      validate: () => ({ issues: [{ message: "no", path: ["a", { key: "b" }] }, { message: "none" }] }),
      jsonSchema: { input: () => ({}), output: () => ({}) },
    },
  };

  await expect(checkOutputValue({ schema: { properties } }, value)).rejects.toThrow(/at \/e$/);
  await expect(checkOutputValue({ schema: given(stepped) }, 1)).rejects.toThrow(
    "output.a.b: no; output: none",
  );
});
