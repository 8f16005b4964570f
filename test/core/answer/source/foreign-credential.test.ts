import { describe, expect, it } from "vitest";
import type { Mode, WireHeaders } from "../../../../src/core/call/call.ts";
import { createProviders } from "../../../../src/core/protocol/registry.ts";
import { anEngine, aRun, chatCall, textOf } from "../../../support/an-engine.ts";

const LONG = "0123456789abcdefghijABCDEFGHIJ01234";
const JSON_TYPE = ["content-type", "application/json"] as const;

interface CallOptions {
  readonly provider?: string;
  readonly path?: string;
  readonly headers?: WireHeaders;
  readonly upstreams?: Readonly<Record<string, string>>;
  readonly mode?: Mode;
}

/** Makes a call with these headers and gives where it went, or why it went nowhere. */
async function send({
  headers = [],
  upstreams = {},
  mode = "record",
  ...place
}: CallOptions): Promise<string> {
  const { engine, sent, events } = anEngine(undefined, { providers: createProviders(upstreams) });
  const answer = await engine.answer(
    chatCall(aRun(mode), "hi", {}, { headers: [JSON_TYPE, ...headers], ...place }),
  );
  await textOf(answer);
  await answer.settled;
  return sent[0]?.url ?? `${events[0]?.outcome}: ${events[0]?.reason}`;
}

const bearer = (key: string): WireHeaders => [["authorization", `Bearer ${key}`]];

describe("a key of one company is not sent to another:", () => {
  it.each<readonly [string, CallOptions, string]>([
    ["Anthropic's to OpenAI", { headers: [["x-api-key", `sk-ant-${LONG}`]] }, "Anthropic"],
    ["Anthropic's as a bearer to OpenAI", { headers: bearer(`sk-ant-${LONG}`) }, "Anthropic"],
    ["OpenRouter's to OpenAI", { headers: bearer(`sk-or-v1-${LONG}`) }, "OpenRouter"],
    ["Groq's to OpenAI", { headers: bearer(`gsk_${LONG}`) }, "Groq"],
    ["xAI's to Groq", { provider: "groq", headers: bearer(`xai-${LONG}`) }, "xAI"],
    ["Google's to OpenAI", { headers: bearer(`AIza${LONG}`) }, "Google"],
    ["Google's in a query to OpenAI", { path: `/v1/models?key=AIza${LONG}` }, "Google"],
    [
      "OpenAI's to Anthropic",
      { provider: "anthropic", headers: [["x-api-key", `sk-proj-${LONG}`]] },
      "OpenAI",
    ],
    ["Azure's header to OpenAI", { headers: [["api-key", LONG]] }, "Azure"],
    [
      "Azure's header and path to OpenAI",
      { headers: [["api-key", LONG]], path: "/openai/deployments/gpt/chat/completions" },
      "Azure",
    ],
    [
      "every address that the user configured",
      { upstreams: { openai: "https://api.groq.com/openai" }, headers: bearer(`sk-ant-${LONG}`) },
      "Anthropic",
    ],
  ])("%s", async (_, call, owner) => {
    for (const mode of ["record", "refresh", "live"] as const) {
      const told = await send({ ...call, mode });

      expect(told).toMatch(new RegExp(`^refused: The call has a key of ${owner}`));
      expect(told).not.toContain(LONG);
    }
  });
});

describe("a key is sent to its provider or to the configured address:", () => {
  it.each<readonly [string, CallOptions, string]>([
    ["its own", { headers: bearer(`sk-proj-${LONG}`) }, "https://api.openai.com/v1/chat/completions"],
    ["a key without a known prefix", { headers: bearer(`sk-${LONG}`) }, "https://api.openai.com/"],
    [
      "a gateway that the user named",
      {
        upstreams: { openai: "https://gateway.example" },
        headers: [
          ["api-key", LONG],
          ["x-api-key", `sk-ant-${LONG}`],
        ],
      },
      "https://gateway.example/",
    ],
    [
      "another company whose address the user named",
      { upstreams: { openai: "https://openrouter.ai/api" }, headers: bearer(`sk-or-v1-${LONG}`) },
      "https://openrouter.ai/api/v1/chat/completions",
    ],
    [
      "Google's OpenAI-compatible address",
      {
        upstreams: { openai: "https://generativelanguage.googleapis.com/v1beta/openai" },
        headers: bearer(`AIza${LONG}`),
      },
      "https://generativelanguage.googleapis.com/",
    ],
    [
      "a machine of the user's own network",
      { upstreams: { openai: "http://192.168.1.20:8000" }, headers: bearer(`gsk_${LONG}`) },
      "http://192.168.1.20:8000/v1/chat/completions",
    ],
  ])("%s", async (_, call, url) => {
    expect(await send(call)).toContain(url);
  });
});

describe("Azure's calls with OpenAI as provider", () => {
  const path = "/v1/deployments/gpt-4o/chat/completions?api-version=2024-10-21";
  const headers: WireHeaders = [["api-key", LONG]];

  it("go to the Azure resource that the user named, under Azure's own path", async () => {
    expect(await send({ path, headers, upstreams: { azure: "https://mine.openai.azure.com" } })).toBe(
      "https://mine.openai.azure.com/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21",
    );
  });

  it("are not sent when none is configured, and the message explains how to configure one", async () => {
    expect(await send({ path, headers })).toBe("refused: Tapedeck has no address for azure.");
  });

  it("stay unchanged when the user configured another address for OpenAI", async () => {
    expect(await send({ path, headers, upstreams: { openai: "https://gateway.example" } })).toContain(
      "https://gateway.example/v1/deployments/gpt-4o/",
    );
  });
});
