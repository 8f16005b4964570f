import OpenAI from "openai";
import { openaiSdk } from "./openai-sdk.ts";
import { argumentsValue, type Reading, type Sdk } from "./sdk-reading.ts";

/** The official `openai` package on responses, whole or streamed, with its own retries. */
export const openaiResponsesSdk: Sdk = {
  codeOf: (error) => openaiSdk.codeOf?.(error),
  statusOf: (error) => openaiSdk.statusOf(error),
  async read(fetch, asked) {
    const { responses } = new OpenAI({ apiKey: "none", baseURL: "http://127.0.0.1:9/v1", fetch });
    if (!("stream" in asked) || asked.stream !== true)
      return readingOf(await responses.create(asked as OpenAI.Responses.ResponseCreateParamsNonStreaming));
    const events = await responses.create(asked as OpenAI.Responses.ResponseCreateParamsStreaming);
    let last: OpenAI.Responses.Response | undefined;
    for await (const event of events) {
      if (event.type === "error") throw new Error(`${event.code ?? "error"}: ${event.message}`);
      if (event.type === "response.failed") throw new Error(event.response.error?.message);
      if ("response" in event) last = event.response;
    }
    if (last === undefined) throw new Error("the stream had no response");
    return readingOf(last);
  },
};

function readingOf(response: OpenAI.Responses.Response): Reading {
  const { output, model, status, incomplete_details: incomplete, usage } = response;
  const message = {
    text: output.map(textOf).join(""),
    thinking: output.map(thinkingOf).filter(Boolean).join(""),
    calls: output.flatMap(callOf),
  };
  return {
    messages: output.length > 0 ? [message] : [],
    model,
    finishReason: incomplete?.reason ?? status,
    inputTokens: usage?.input_tokens,
    outputTokens: usage?.output_tokens,
  };
}

type Item = OpenAI.Responses.ResponseOutputItem;

function textOf(item: Item): string {
  if (item.type !== "message") return "";
  return item.content.map((part) => (part.type === "output_text" ? part.text : "")).join("");
}

function thinkingOf(item: Item): string {
  if (item.type !== "reasoning") return "";
  return [...(item.summary ?? []), ...(item.content ?? [])].map(({ text }) => text).join("\n\n");
}

/** Calls of the user's tools and of the provider's own, whose name is their type and whose id is the item's. */
function callOf(item: Item): Reading["messages"][number]["calls"] {
  const fields = item as unknown as Readonly<Record<string, unknown>>;
  const { type } = item;
  if (!type.endsWith("_call") || type === "image_generation_call") return [];
  const own = "queries" in item ? { queries: item.queries } : "code" in item ? { code: item.code } : {};
  const given = fields["arguments"] ?? fields["input"] ?? fields["action"] ?? fields["operation"] ?? own;
  return [
    {
      id: (fields["call_id"] ?? fields["id"]) as string,
      name: (fields["name"] ?? type.slice(0, -"_call".length)) as string,
      arguments: typeof given === "string" ? argumentsValue(given) : given,
    },
  ];
}
