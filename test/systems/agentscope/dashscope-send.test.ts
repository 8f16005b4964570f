import { expect, test } from "vitest";
import { isChatError } from "../../../src/client/errors.ts";
import { shown } from "../../client/bad-input/cells.ts";
import { DashScopeChatModel, isStreamed, lastResponse } from "../../../src/systems/agentscope/index.ts";

interface HttpRequest {
  readonly url: string;
  readonly init: RequestInit;
}

/** A model whose requests are kept, and get this answer. */
function dashscope(
  answer: () => Response,
  { stream = false, headers = {} } = {},
): { sent: HttpRequest[]; model: DashScopeChatModel } {
  const sent: HttpRequest[] = [];
  const fetch = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    sent.push({ url: String(input), init });
    return answer();
  };
  const connection = { apiKey: "k", baseURL: "https://a.test/api/v1//", headers, fetch };
  return { sent, model: new DashScopeChatModel({ modelName: "qwen-max", stream, connection }) };
}

const HI = [{ role: "user", content: "hi" }];
const SAID = {
  request_id: "r",
  output: { choices: [{ message: { content: "Rome" }, finish_reason: "stop" }] },
};
const json = (body: object, init: ResponseInit = {}): Response => Response.json(body, init);
const events = (text: string): Response =>
  new Response(text, { headers: { "content-type": "text/event-stream" } });

test("a whole answer is requested as JSON, a stream as events with DashScope's header", async () => {
  const whole = dashscope(() => json(SAID), { headers: { "x-own": "1" } });
  const streamed = dashscope(
    () => events(`id:1\nevent:result\n:HTTP_STATUS/200\ndata:${JSON.stringify(SAID)}\n\n`),
    { stream: true },
  );
  const content = [{ type: "text", text: "Rome" }];

  expect(await whole.model.call(HI)).toMatchObject({ content });
  expect(await lastResponse(await streamed.model.call(HI))).toMatchObject({ content });

  const [asked] = whole.sent;
  expect(asked?.url).toBe("https://a.test/api/v1/services/aigc/text-generation/generation");
  expect(asked?.init.method).toBe("POST");
  expect(asked?.init.headers).toEqual({
    "content-type": "application/json",
    accept: "application/json",
    authorization: "Bearer k",
    "x-own": "1",
  });
  expect(JSON.parse(String(asked?.init.body))).toMatchObject({
    model: "qwen-max",
    input: { messages: [{ role: "user", content: "hi" }] },
  });
  expect(streamed.sent[0]?.init.headers).toMatchObject({
    accept: "text/event-stream",
    "x-dashscope-sse": "enable",
  });
});

const FAILURES: Readonly<Record<string, () => Response>> = {
  "a custom text": () => json({ code: "InvalidApiKey", message: "no key" }, { status: 401 }),
  "an error inside": () => json({ error: { code: "c", message: "busy" } }, { status: 503 }),
  "an error inside, beside the request's id": () =>
    json({ request_id: "r", error: { code: "c", message: "busy" } }, { status: 503 }),
  "a page": () => new Response("<html>gone</html>", { status: 502 }),
};

test("failures have their status, whole and in a stream, as the page beside this test has it", async () => {
  const page = [];
  for (const [what, answer] of Object.entries(FAILURES))
    for (const stream of [false, true]) {
      const call = async () => lastResponse(await dashscope(answer, { stream }).model.call(HI));
      const failure: unknown = await call().catch((error: unknown) => error);
      if (!isChatError(failure)) throw failure;
      const { kind, status, requestId, message } = failure;
      page.push(
        `${what}, ${stream ? "streamed" : "whole"}: ${shown({ kind, status, requestId, message })}\n`,
      );
    }

  // `vitest FILE -u` writes the page anew.
  await expect(page.join("")).toMatchFileSnapshot("dashscope-failures.txt");
});

test.each<readonly [what: string, frame: string, status: number]>([
  ["with its status", ':HTTP_STATUS/429\nevent:error\ndata:{"code":"Throttling","message":"slow"}', 429],
  ["with the lowest there is", ':HTTP_STATUS/400\nevent:error\ndata:{"code":"Odd","message":"slow"}', 400],
  ["without one", 'event:error\ndata:{"code":"Odd","message":"slow"}', 500],
  ["by its code alone", 'data:{"code":"Odd","message":"slow"}', 500],
])("a failure in a stream is reported %s, after the events before it", async (_, frame, status) => {
  const said = `data:${JSON.stringify({ output: { choices: [{ message: { content: "Ro" }, finish_reason: "null" }] } })}`;
  const { model } = dashscope(() => events(`${said}\n\n${frame}\n\ndata:[DONE]\n\n`), { stream: true });
  const came: unknown[] = [];
  const read = async (): Promise<void> => {
    const answer = await model.call(HI);
    if (isStreamed(answer)) for await (const { content } of answer) came.push(content);
  };

  const failure: unknown = await read().catch((error: unknown) => error);

  expect(came).toEqual([[{ type: "text", text: "Ro" }]]);
  expect(isChatError(failure) && [failure.status, /slow/.test(failure.message)]).toEqual([status, true]);
});
