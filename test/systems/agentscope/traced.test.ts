import { expect, test } from "vitest";
import { OpenAIChatModel, tracedCall } from "../../../src/systems/agentscope/index.ts";

/** A tracer that keeps the calls of its spans. */
function keeping(): { readonly told: unknown[]; readonly tracer: never } {
  const told: unknown[] = [];
  const span = {
    setAttributes: (attributes: object) => void told.push(attributes),
    setAttribute: (name: string, value: unknown) => void told.push({ [name]: value }),
    recordException: (error: Error) => void told.push(["exception", error.message]),
    setStatus: (status: object) => void told.push(["status", status]),
    end: () => void told.push("end"),
  };
  const tracer = {
    startSpan: (name: string, options?: { attributes?: object }) => {
      told.push(name, ...(options?.attributes ? [options.attributes] : []));
      return span;
    },
  };
  return { told, tracer: tracer as never };
}

const ASKED = [{ role: "user", content: "hi" }];

function model(answer: () => unknown): OpenAIChatModel {
  const create = async (): Promise<unknown> => answer();
  return new OpenAIChatModel({
    modelName: "m",
    stream: false,
    transport: { create, parse: create, stream: create as never },
  });
}

const chat = {
  id: "r1",
  choices: [{ message: { content: "yes" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
};

test("a traced model's span has the request and the usage, and ends once", async () => {
  const { told, tracer } = keeping();

  const answer = await tracedCall(
    model(() => chat),
    { tracer },
  )(ASKED);

  expect(answer).toMatchObject({ content: [{ type: "text", text: "yes" }] });
  expect(told).toEqual([
    "chat m",
    { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" },
    { "gen_ai.response.id": "r1", "gen_ai.usage.input_tokens": 3, "gen_ai.usage.output_tokens": 2 },
    "end",
  ]);
});

test.each<readonly [thrown: unknown, message: string]>([
  [new Error("broken"), "broken"],
  ["a text", "a text"],
])("a traced model that throws %s records it in its span and rethrows it", async (thrown, message) => {
  const { told, tracer } = keeping();
  const failing = model(() => {
    throw thrown;
  });

  await expect(tracedCall(failing, { tracer })(ASKED)).rejects.toBe(thrown);

  expect(told.slice(2)).toEqual([["exception", message], ["status", { code: 2, message }], "end"]);
});
