import { APIStatusError, dumpTokenUsage, parseEchoScript } from "../../src/systems/kosong/index.ts";
import { pick, seeded, type Random } from "../support/seeded.ts";
import type { Differential } from "./system.ts";

export const echoScripts: Differential<string> = {
  name: "Echo scripts (kosong)",
  results: "kosong.ndjson",
  caseOf(seed) {
    const random = seeded(seed);
    return Array.from({ length: 1 + Math.floor(random() * 3) }, () => lineOf(random)).join(
      pick(random, ENDS),
    );
  },
  documented(_, { theirs }) {
    const { type } = (theirs as { error?: { type: string } }).error ?? {};
    return type === "ValidationError" || type === "OverflowError"
      ? `a foreign ${type} is a ChatProviderError [KO-D5]`
      : undefined;
  },
  ours(script) {
    try {
      const { parts, id, usage } = parseEchoScript(script);
      return { parts, id, usage: usage === null ? null : dumpTokenUsage(usage) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const status = error instanceof APIStatusError ? { status_code: error.statusCode } : {};
      return { error: { type: error.name, message: error.message, ...status } };
    }
  },
};

type Texts = readonly [string, ...string[]];
const ENDS: Texts = ["\n", "\n", "\r\n", "\r", "\x0b", "\u0085", "\u2028", "\x1d", "\n\n"];
const KINDS: Texts = [
  ...(["text", "think", "id", "usage", "usage", "image_url", "audio_url", "video_url"] as const),
  ...([
    "tool_call",
    "tool_call",
    "tool_call",
    "tool_call_part",
    "tool_call_part",
    "error",
    "Text",
    " think ",
  ] as const),
  ...(["nope", "", "# text", "```", "echo", "ÉCHO"] as const),
];
const PAYLOADS: Texts = [
  ...([
    "hello",
    " two blanks",
    "trailing  ",
    "'quoted'",
    '"quoted"',
    "'odd\"",
    "'",
    "''",
    '""',
    "",
    "   ",
    "\ufeffx",
  ] as const),
  ...([
    "null",
    "None",
    "NULL",
    "true",
    "1",
    "1.0",
    "-0.0",
    "1e3",
    "1e400",
    "NaN",
    "-Infinity",
    "12345678901234567890",
  ] as const),
  ...([
    "[]",
    "{}",
    "[1, 2.0, null]",
    '["é", {"a": 1e-7}]',
    '"text"',
    '"\\u00e9"',
    "{bad",
    '{"a": 1',
  ] as const),
  ...([
    "output=1",
    "input_other=1,output=2",
    "output=1.9 input_cache_read=true",
    "output=x",
    "output=",
    "output",
    "=1",
  ] as const),
  ...([
    '{"output": 1.9}',
    '{"output": "7"}',
    '{"output": " 7_0 "}',
    '{"output": "٣"}',
    '{"output": null}',
    '{"output": [1]}',
  ] as const),
  ...([
    '{"output": 1e400}',
    '{"output": NaN}',
    '{"output": "1.5"}',
    '{"output": {"a": 1.0}}',
    '{"output": 1e22}',
  ] as const),
  ...([
    '{"url": "u"}',
    '{"url": "u", "id": "i"}',
    '{"url": "u", "id": 1}',
    '{"url": 1.0}',
    '{"id": "i"}',
    "https://x/y?a=b",
  ] as const),
  ...([
    '{"id": "1", "name": "f"}',
    '{"id": "1", "name": "f", "arguments": "{}"}',
    "id=1 name=f",
    "id=a name=f arguments=x",
  ] as const),
  ...([
    '{"id": "1", "function": {"name": "f", "arguments": "x"}}',
    '{"id": "1", "function": {}}',
    '{"id": 1, "name": "f"}',
  ] as const),
  ...([
    '{"id": "1", "name": "f", "arguments": {"a": 1}}',
    '{"id": "1", "name": "f", "arguments": 1.0}',
  ] as const),
  ...([
    '{"id": "1", "name": "f", "extras": {"a": [1.0, null]}}',
    '{"id": "1", "name": "f", "extras": 3}',
    '{"id": "1", "name": ""}',
  ] as const),
  ...([
    '{"id": "1", "name": 0, "function": {"name": "g", "extras": {"b": 1}}}',
    '{"id": "1", "name": "f", "arguments": ""}',
  ] as const),
  ...([
    '{"arguments_part": "x"}',
    '{"arguments_part": {"a": 1.0}}',
    '{"arguments_part": ""}',
    '{"arguments_part": 0}',
    '{"arguments_part": false}',
  ] as const),
  ...([
    "429",
    "429 slow down",
    "connection",
    "Timeout  later ",
    "timeout\tx",
    "+5 hm",
    "4_2",
    "٤",
    "4.5",
    "-1",
    "0x1",
  ] as const),
];

function lineOf(random: Random): string {
  if (random() < 0.1) return pick(random, KINDS);
  const colon = pick(random, [": ", ": ", ":", " : ", ":  ", ":\t"]);
  return `${pick(random, ["", "", " ", "\t"])}${pick(random, KINDS)}${colon}${pick(random, PAYLOADS)}`;
}
