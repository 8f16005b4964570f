import { expect, test } from "vitest";
import { type ChatResponse, tracedCall } from "../../../src/systems/agentscope/index.ts";
import { answering, modelOf, responsesOf, scripted } from "./scripted-models.ts";

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
const chat = {
  id: "r1",
  choices: [{ message: { content: "yes" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
};

test("a traced model's span has the request and the usage, and ends once", async () => {
  const { told, tracer } = keeping();

  const answer = await tracedCall(answering("openai", chat).model, { tracer })(ASKED);

  expect(answer).toMatchObject({ content: [{ type: "text", text: "yes" }] });
  expect(told).toEqual([
    "chat m",
    { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" },
    { "gen_ai.response.id": "r1", "gen_ai.usage.input_tokens": 3, "gen_ai.usage.output_tokens": 2 },
    "end",
  ]);
});

test("a traced stream's span has input, output, usage and error, and ends with the stream [AS-14]", async () => {
  const { told, tracer } = keeping();
  const text = { id: "c", usage: null, choices: [{ delta: { content: "a" } }] };
  const { model } = scripted("openai", [
    { chunks: [text, { ...chat, choices: [] }] },
    { chunks: [text, { raise: "api", text: "gone" }] },
  ]);
  const call = tracedCall(model, { tracer, recordContent: true });

  const answer = (await call(ASKED)) as AsyncGenerator<ChatResponse>;
  await answer.next();
  const early = told.includes("end");
  for await (const _ of answer);
  const whole = told.splice(0);
  await expect(call(ASKED).then(responsesOf)).rejects.toThrow("gone");

  expect(early).toBe(false);
  expect(Object.assign({}, ...whole.filter((one) => typeof one === "object"))).toMatchObject({
    "gen_ai.request.model": "m",
    "gen_ai.input.messages": JSON.stringify(ASKED),
    "gen_ai.output.messages": '[{"type":"text","text":"a"}]',
    "gen_ai.usage.input_tokens": 3,
    "gen_ai.usage.output_tokens": 2,
  });
  expect(whole.at(-1)).toBe("end");
  expect(told).toContainEqual(["status", { code: 2, message: "gone" }]);
  expect(told.at(-1)).toBe("end");
});

test.each<readonly [thrown: unknown, message: string]>([
  [new Error("broken"), "broken"],
  ["a text", "a text"],
])("a traced model that throws %s records it in its span and rethrows it", async (thrown, message) => {
  const { told, tracer } = keeping();
  const create = () => Promise.reject(thrown);
  const failing = modelOf("openai", { stream: false, transport: { create } });

  await expect(tracedCall(failing, { tracer })(ASKED)).rejects.toBe(thrown);

  expect(told.slice(2)).toEqual([["exception", message], ["status", { code: 2, message }], "end"]);
});
