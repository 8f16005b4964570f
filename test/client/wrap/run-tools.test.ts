import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import {
  fixedClient,
  functionClient,
  runTools,
  scriptedClient,
  stepWithTools,
  textOf,
  user,
  type RunnableTool,
  type ToolCallPart,
} from "../../../src/client/index.ts";

const hello = { messages: [user("hello")] };
const call = (id: string, name: string, args: unknown = {}): ToolCallPart => ({
  type: "tool-call",
  id,
  name,
  arguments: typeof args === "string" ? args : JSON.stringify(args),
});
const plus: RunnableTool = {
  name: "plus",
  parameters: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  run: ({ a, b }) => String(Number(a) + Number(b)),
};

test("tools run until the model makes no calls, and the conversation stays in order", async () => {
  const client = scriptedClient([
    [call("1", "plus", { a: 1, b: 2 })],
    [call("2", "plus", { a: 3, b: 4 })],
    "seven",
  ]);

  const { reply, messages, steps, done } = await runTools(client, { ...hello, toolChoice: "required" }, [
    plus,
  ]);

  expect([textOf(reply.message), steps.length, done]).toEqual(["seven", 3, true]);
  expect(messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
    "tool",
    "assistant",
  ]);
  expect(steps.flatMap(({ results }) => results.map(({ content }) => content))).toEqual(["3", "7"]);
  expect(client.calls.map(({ toolChoice }) => toolChoice)).toEqual(["required", undefined, undefined]);
  expect(client.calls[0]?.tools).toEqual([{ name: "plus", parameters: plus.parameters }]);
});

test("a choice of no tools holds for every step, also when the model calls one all the same", async () => {
  const client = scriptedClient([[call("1", "plus", { a: 1, b: 2 })], "three"]);

  await runTools(client, { ...hello, toolChoice: "none" }, [plus]);

  expect(client.calls.map(({ toolChoice }) => toolChoice)).toEqual(["none", "none"]);
});

test("results stand in the order of the calls, whatever ends first", async () => {
  const order: string[] = [];
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  const tools: RunnableTool[] = [
    { name: "late", run: () => gate.then(() => (order.push("late"), "late")) },
    {
      name: "early",
      run: () => {
        order.push("early");
        release();
        return "early";
      },
    },
  ];

  const { results } = await stepWithTools(fixedClient([call("1", "late"), call("2", "early")]), hello, tools);

  expect(order).toEqual(["early", "late"]);
  expect(results.map(({ content }) => content)).toEqual(["late", "early"]);
});

test.each<[string, ToolCallPart, RegExp]>([
  ["an unknown tool", call("1", "minus"), /Tool `minus` not found/],
  [
    "arguments that are not JSON",
    call("1", "plus", '{"a":'),
    /are not JSON: Expecting value: line 1 column 6/,
  ],
  ["arguments that are not an object", call("1", "plus", [1]), /are not an object/],
  [
    "arguments that do not fit",
    call("1", "plus", { a: "x" }),
    /'b' is a required property.*'x' is not of type 'number'|'x' is not/,
  ],
  ["a tool that throws", call("1", "boom"), /Error running tool: kaput/],
  ["a tool that gives nothing", call("1", "odd"), /returned neither text nor parts/],
])("%s is a result for the model to see", async (_, asked, says) => {
  const tools: RunnableTool[] = [
    plus,
    { name: "boom", run: () => Promise.reject(new Error("kaput")) },
    { name: "odd", run: () => undefined as unknown as string },
  ];

  const { results } = await stepWithTools(fixedClient([asked]), hello, tools);

  expect(results).toMatchObject([
    { callId: "1", isError: true, content: expect.stringMatching(says) as string },
  ]);
});

test("a model that never stops calling is stopped", async () => {
  const client = functionClient((_, turn) => [call(String(turn), "plus", { a: turn, b: 0 })]);

  const { done, steps } = await runTools(client, hello, [plus], { maxSteps: 3 });

  expect([done, steps.length]).toEqual([false, 3]);
  await expect(runTools(client, hello, [plus], { maxSteps: 0 })).rejects.toMatchObject({ where: "maxSteps" });
});

test.each<readonly [when: string, later: (abort: () => void) => void]>([
  ["at once", (abort) => abort()],
  ["while the tool works", (abort) => void setImmediate(abort)],
])("a tool that heeds no signal does not keep the caller who leaves %s", async (_, later) => {
  const controller = new AbortController();
  const deaf: RunnableTool = {
    name: "deaf",
    run: () => {
      later(() => controller.abort());
      return new Promise(() => undefined);
    },
  };

  const stepping = stepWithTools(fixedClient([call("1", "deaf")]), { ...hello, signal: controller.signal }, [
    deaf,
  ]);

  await expect(stepping).rejects.toMatchObject({ kind: "cancelled" });
});

test("tools leave nothing behind on the signal of their caller", async () => {
  const { signal } = new AbortController();

  await stepWithTools(fixedClient([call("1", "plus", { a: 1, b: 2 })]), { ...hello, signal }, [plus]);

  expect(getEventListeners(signal, "abort")).toEqual([]);
});
