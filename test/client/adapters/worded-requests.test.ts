import { expect, test } from "vitest";
import { type ChatError, isChatError } from "../../../src/client/errors.ts";
import { CLIENTS, fetchGiving, type ClientName } from "./clients.ts";
import { REQUESTS } from "./requests-to-word.ts";
import type { LogEntry } from "../../../src/client/surroundings.ts";
import type { ChatRequest } from "../../../src/client/request.ts";

test("every request is worded, or refused, by every adapter as the page beside this test has it", async () => {
  const sections: string[] = [];
  for (const [title, request] of Object.entries(REQUESTS)) {
    sections.push(await section(title, request, false));
    if (AS_STREAMS.test(title)) sections.push(await section(title, request, true));
  }

  // `vitest -u` writes the page anew.
  await expect(sections.join("\n")).toMatchFileSnapshot("worded-requests.txt");
});

/** Requests that differ, or can differ, for a stream. */
const AS_STREAMS = /^(?:a question|thinking: (?:off|high)|tools|a structured answer)$/u;

/** Models for which the same is asked elsewhere. */
const MODELS: Readonly<Record<string, string>> = {
  "a model that sees": "qwen-vl-max",
  "a model that thinks": "qvq-max",
};

function refused({ kind, message, hint }: ChatError): string {
  return `refused (${kind}): ${message}${hint === undefined ? "" : ` (${hint})`}`;
}

async function section(title: string, request: ChatRequest, streaming: boolean): Promise<string> {
  const byLine = new Map<string, ClientName[]>();
  for (const name of Object.keys(CLIENTS) as ClientName[]) {
    const line = await worded(name, request, streaming, title);
    byLine.set(line, [...(byLine.get(line) ?? []), name]);
  }
  const lines = [...byLine].flatMap(([line, names]) => [`${names.join(", ")}:`, `  ${line}`]);
  return [`# ${title}${streaming ? ", as a stream" : ""}`, ...lines, ""].join("\n");
}

async function worded(
  name: ClientName,
  request: ChatRequest,
  streaming: boolean,
  title: string,
): Promise<string> {
  const asked: { url?: string; body?: unknown } = {};
  const nothing = { status: 400, contentType: "application/json", body: new TextEncoder().encode("{}") };
  const logged: string[] = [];
  const log = ({ level, message }: LogEntry): void => void logged.push(` (${level}: ${message})`);
  const client = CLIENTS[name](fetchGiving(nothing, asked), MODELS[title] ?? "m", { log });
  try {
    if (streaming) for await (const _ of client.stream(request)) break;
    else await client.complete(request);
  } catch (error) {
    if (asked.body === undefined) return isChatError(error) ? refused(error) : `failed: ${String(error)}`;
  }
  const address = title === "a question" || title in MODELS ? `${asked.url} ` : "";
  return `${address}${JSON.stringify(asked.body)}${logged.join("")}`;
}
