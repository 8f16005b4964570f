import { labelCall } from "../../../src/core/view/row.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { joinBytes } from "../../../src/core/base/wire/text.ts";
import type {
  ConversationMessage,
  Projection,
  Protocol,
  ProtocolRequest,
} from "../../../src/core/protocol/base/protocol.ts";
import { DIALECTS } from "../../../src/core/protocol/dialects.ts";
import { httpProtocol } from "../../../src/core/protocol/base/http.ts";
import { aRequest } from "../../support/traffic-fixture.ts";
import { casesOf } from "../../support/cases.ts";
import { endOf, FIXTURES, framesByByte, framingIn, operationAt } from "../../support/wire-fixtures.ts";

/*
 * What is read of the wire of every provider. The pages beside this test have it for the fixtures, for odd requests
 * (`requests.jsonl`: provider, path, body), and for odd replies (`replies.jsonl`: provider, path, title, reply).
 * `vitest FILE -u` writes the pages anew.
 */

const linesOf = (name: string): readonly unknown[] =>
  readFileSync(join(import.meta.dirname, name), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

/** Long pictures and sounds are cut. */
const shown = (value: unknown): string =>
  JSON.stringify(value).replace(
    /("(?:url|text)":"[^"]{60})([^"]{60,})"/g,
    (_, begin: string, rest: string) => `${begin}… ${rest.length} more"`,
  );

const messageLines = (messages: readonly ConversationMessage[]): string[] =>
  messages.map(({ role, parts }) => `  ${role}: ${parts.map(shown).join(" ")}`);

function requestLines(protocol: Protocol, request: ProtocolRequest): string[] {
  try {
    const { messages, settings } = protocol.conversation(request);
    const { text, ...facts } = protocol.facts(request);
    const view = { facts, conversation: { messages, settings } };
    expect(labelCall({ ...view, facts: { ...facts, text } })).toBe(labelCall(view));
    return [
      `${protocol.operation}: ${shown(facts)}`,
      ...messageLines(messages),
      ...(settings.length === 0 ? [] : [`  settings: ${settings.map((one) => one.join(" = ")).join("; ")}`]),
    ];
  } catch (error) {
    return [`${protocol.operation} is refused: ${(error as Error).message}`];
  }
}

function replyLines({ messages, ...rest }: Projection, ends: string): string[] {
  return [`→ ${ends} ${shown(rest)}`, ...messageLines(messages)];
}

test("every fixture is read as its page has it", async () => {
  const page = FIXTURES.flatMap(({ folder, name, path, protocol, request, reply }) => [
    `# ${folder}/${name}: ${request.method} ${path}`,
    ...requestLines(protocol, request),
    ...replyLines(protocol.project(reply), endOf(protocol, reply.body, reply.contentType)),
    "",
  ]);

  await expect(page.join("\n")).toMatchFileSnapshot("fixtures.txt");
});

test("every odd request is read or refused as its page has it", async () => {
  const rows = linesOf("requests.jsonl") as readonly (readonly [
    provider: string,
    path: string,
    body: string | object,
  ])[];
  const own = (provider: string, path: string): Protocol =>
    provider === "own" ? httpProtocol : operationAt(provider, "POST", path).protocol;

  const page = rows.flatMap(([provider, path, body]) => [
    `# ${provider} ${path} ${beginningOf(body)}`,
    ...requestLines(own(provider, path), aRequest({ provider, path, body })),
    "",
  ]);

  await expect(page.join("\n")).toMatchFileSnapshot("requests.txt");
});

const beginningOf = (body: string | object): string =>
  Array.from(typeof body === "string" ? body : JSON.stringify(body))
    .slice(0, 90)
    .join("")
    .trim();

interface OddReply {
  readonly status?: number;
  readonly text?: string;
  readonly json?: unknown;
  readonly events?: readonly object[];
}

test("every odd reply is read as its page has it, and known to be whole or not", async () => {
  const rows = linesOf("replies.jsonl") as readonly (readonly [
    provider: string,
    path: string,
    title: string,
    reply: OddReply,
  ])[];
  const page = rows.flatMap(([provider, path, title, { status = 200, text, json, events }]) => {
    const frames = events?.map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const contentType = frames === undefined ? "application/json" : "text/event-stream";
    const body = Buffer.from(frames?.join("") ?? text ?? JSON.stringify(json));
    const isGet = /\/(?:resp_1|models|results|deferred-completion\/x)$/.test(path);
    const { protocol } = operationAt(provider, isGet ? "GET" : "POST", path);
    const unfinished = protocol.unfinished?.(body);
    return [
      `# ${provider} ${path}: ${title}`,
      ...replyLines(protocol.project({ status, contentType, body }), endOf(protocol, body, contentType)),
      ...(unfinished === undefined ? [] : [`  unfinished: ${unfinished}`]),
      "",
    ];
  });

  await expect(page.join("\n")).toMatchFileSnapshot("replies.txt");
});

/** Checks one fixture after another. An error names it. */
function checkEach(check: (fixture: (typeof FIXTURES)[number]) => void): void {
  for (const fixture of FIXTURES)
    try {
      check(fixture);
    } catch (error) {
      throw new Error(`${fixture.folder}/${fixture.name} ${fixture.path}: ${String(error)}`, {
        cause: error,
      });
    }
}

test("the frames of each stream join to its bytes", () =>
  checkEach(({ protocol, reply: { body, contentType } }) => {
    const framing = framingIn(protocol, contentType);
    if (protocol.stream === undefined || framing === undefined) return;

    expect(joinBytes(framesByByte(body, framing))).toEqual(new Uint8Array(body));
  }));

test("each reply that is cut at its end is not known to be whole", () =>
  checkEach(({ protocol, reply }) => {
    const cut = endOf(protocol, reply.body.subarray(0, -3), reply.contentType);
    const framing = framingIn(protocol, reply.contentType);
    const isAnyCut = protocol.operation === "files.content" || !reply.contentType.includes("json");

    expect(framing !== undefined || isAnyCut || cut !== "whole").toBe(true);
  }));

test.each([false, true])("a draft becomes a whole reply with its text, stream: %s", (stream) =>
  checkEach(({ protocol, provider, path, request, asked }) => {
    const draft = { text: "One line\nand “another” 👋.\n", usage: { inputTokens: 12, outputTokens: 3 } };
    const isJson = request.body.kind === "json";
    const body = isJson ? { ...asked, stream } : "";
    const sent = isJson ? aRequest({ provider: provider.name, path, body }) : request;

    const composed = { status: 200, ...protocol.compose({ ...draft, finish: "length" }, sent) };
    const { messages, usage = draft.usage } = protocol.project(composed);

    const texts = messages.map(({ parts }) =>
      parts.map((part) => ("text" in part ? part.text : "")).join(""),
    );
    expect(endOf(protocol, composed.body, composed.contentType)).toBe("whole");
    expect(messages.map(({ role }) => role)).not.toContain("error");
    expect(JSON.stringify(messages)).not.toContain("unreadable");
    // Some answers are numbers, others are words in a format of their own.
    const isSaid = texts[0]?.includes("another") === true && !composed.contentType.startsWith("text/plain");
    expect(isSaid ? [...new Set(texts)] : [draft.text]).toEqual([draft.text]);
    // Bedrock's invoke has no room for counts in every family.
    const isCounted = isSaid && !protocol.operation.startsWith("invoke");
    expect(isCounted ? usage : draft.usage).toMatchObject(draft.usage);
  }),
);

/** Some are of several dialects. */
const operations = new Map(
  Object.values(DIALECTS).flatMap(({ name, operations: all }) =>
    all.map((one) => [one, `${one.operation} (${name})`] as const),
  ),
);

test("every operation reads any bytes as a reply without an error", () => {
  const deep = casesOf({ quick: 1_000, long: 10_000 });
  for (const [protocol, name] of operations)
    for (const text of [
      "",
      "<html>Bad gateway</html>",
      '{"ok":true}',
      "[[]]",
      "[".repeat(deep) + "]".repeat(deep),
      "data: 5\n\ndata: null\n\ndata: [1]\n\nevent: x\ndata: {}\n\n",
      '{"choices":[5,{"message":7}],"content":[1,{"type":"constructor"}],"usage":[],"model":{},"output":[3,{"type":"constructor","summary":5},{"type":"x_call","outputs":[[]]}],"data":[7,{"embedding":{}}],"results":[null,{"categories":5}],"text":[]}',
    ])
      for (const contentType of ["application/json", "text/event-stream"]) {
        const read = protocol.project({ status: 200, contentType, body: Buffer.from(text) });
        expect([name, Array.isArray(read.messages)]).toEqual([name, true]);
      }
});
