import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Answer } from "../../src/core/call/call.ts";
import { createRun } from "../../src/core/answer/runs.ts";
import type { IncomingReply } from "../../src/core/answer/source/source.ts";
import { chatReply } from "../support/corpus/openai-chat.ts";
import { aVoice } from "../support/corpus/voice.ts";
import { pick, seeded, type Random } from "../support/seeded.ts";
import { anEngineOn } from "./folder-engine.ts";
import { piecesOf } from "./secret-case.ts";
import { readByThief } from "./thief.ts";
import type { Torture } from "./torture.ts";

/** Recorded files that are searched and deleted at a time. */
const BATCH = 500;

export const credentials: Torture = {
  name: "credentials in random places and spellings",
  promise: "none is found in the cassette folder",
  quick: 150,
  short: 1_500,
  long: 100_000,
  async run({ seed, cases }) {
    const random = seeded(seed);
    const failures: string[] = [];
    let recorded = 0;
    for (let begun = 0; begun < cases; begun += BATCH) {
      const count = Math.min(BATCH, cases - begun);
      const dir = mkdtempSync(join(tmpdir(), "tapedeck-torture-"));
      const tried = await recordAll(
        dir,
        Array.from({ length: count }, () => aCase(random)),
      );
      recorded += tried.filter(({ outcome }) => outcome === "recorded").length;
      failures.push(...leaksIn(dir, tried));
      rmSync(dir, { recursive: true });
    }
    // A search that refuses everything would keep the promise and be of no use.
    if (recorded < cases / 30) failures.push(`only ${recorded} of ${cases} answers were recorded`);
    return { cases, failures, note: `${recorded} recorded without one` };
  },
};

interface Case {
  readonly secret: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly path: string;
  readonly prompt: string;
  readonly reply: IncomingReply;
}

const ALPHABET = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789-_/+=.~!"é';

function aSecret(random: Random): string {
  const length = 12 + Math.floor(random() * 40);
  // The first characters are of the plain ones, so that no scheme or pair is read into it.
  return Array.from(
    { length },
    (_, index) => ALPHABET[Math.floor(random() * (index < 4 ? 50 : ALPHABET.length))],
  ).join("");
}

function aCase(random: Random): Case {
  const secret = aSecret(random);
  const ascii = secret.replaceAll("é", "e").replaceAll('"', "q");
  const carried = pick(random, [
    "authorization",
    "x-api-key",
    "x-goog-api-key",
    "cookie",
    "query",
    "basic",
  ] as const);
  const used = carried === "query" ? secret : ascii;
  const said = random() < 0.1 ? "nothing of it" : spelled(random, used);
  const inPrompt = random() < 0.2;
  return {
    secret: used,
    ...carriedIn(carried, used),
    prompt: inPrompt ? `use ${said}` : `question ${random()}`,
    reply: replyWith(random, inPrompt ? "fine" : said),
  };
}

function carriedIn(where: string, secret: string): Pick<Case, "headers" | "path"> {
  const path = "/v1/chat/completions";
  const json = ["content-type", "application/json"] as const;
  if (where === "query") return { headers: [json], path: `${path}?api_key=${encodeURIComponent(secret)}` };
  const value = {
    authorization: `Bearer ${secret}`,
    cookie: `theme=dark; sid=${secret}`,
    basic: `Basic ${Buffer.from(`someone:${secret}`).toString("base64")}`,
  }[where];
  return { headers: [json, [where === "basic" ? "authorization" : where, value ?? secret]], path };
}

/** The secret as a program may say it. */
function spelled(random: Random, secret: string): string {
  const around = "x".repeat(Math.floor(random() * 5));
  return pick(random, [
    () => secret,
    () => encodeURIComponent(secret),
    () => Buffer.from(around + secret + around).toString("base64"),
    () => Buffer.from(around + secret).toString("base64url"),
    () => Buffer.from(secret).toString("hex"),
    () => JSON.stringify({ tool: { key: secret } }),
    () => Array.from(secret, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  ])();
}

function replyWith(random: Random, text: string): IncomingReply {
  const most = 1 + Math.floor(random() * 6);
  const voice = aVoice(random() * 2 ** 31, (whole) => piecesOf(whole, most));
  const where = { provider: "openai", base: "/v1", voice, most: 1 };
  const said = { text: `I say ${text}.`, calls: [], reason: "stop" };
  const { status, contentType, body } = chatReply(where, said, random() < 0.5);
  return { status, headers: [["content-type", contentType ?? ""]], body: oneChunk(body) };
}

async function* oneChunk(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}

async function recordAll(
  dir: string,
  cases: readonly Case[],
): Promise<readonly (Case & { outcome: string })[]> {
  const replies = new Map<string, IncomingReply>();
  const engine = anEngineOn(dir, { replyTo: (body) => replies.get(body) });
  const run = createRun({ id: "torture", mode: "record" });
  const tried: (Case & { outcome: string })[] = [];
  for (const [index, one] of cases.entries()) {
    const asked = { model: "m", messages: [{ role: "user", content: one.prompt }], seed: index };
    const body = Buffer.from(JSON.stringify(asked));
    replies.set(body.toString(), one.reply);
    const answer = await engine.answer({
      provider: "openai",
      method: "POST",
      path: one.path,
      headers: one.headers,
      body,
      run,
      signal: new AbortController().signal,
    });
    tried.push({ ...one, outcome: await ended(answer) });
  }
  return tried;
}

async function ended({ reply: { body }, settled }: Answer): Promise<string> {
  if (!(body instanceof Uint8Array)) for await (const chunk of body) void chunk;
  return (await settled).outcome;
}

function leaksIn(dir: string, tried: readonly (Case & { outcome: string })[]): readonly string[] {
  const all = readByThief(dir, ["content"]);
  return tried
    .filter(({ secret }) => thievesFormsOf(secret).some((form) => all.includes(form)))
    .map(({ outcome, headers, path }) => {
      const carried = headers.map(([name]) => name).join(", ");
      return `a credential of a call that was ${outcome} is on disk (carried by ${carried} ${path.includes("?") ? "and query" : ""})`;
    });
}

function thievesFormsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const within = [1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset, "x"), bytes])
      .toString("base64")
      .slice(4, -4),
  );
  const whole = bytes.toString("base64").slice(0, -4);
  const base64 = [whole, ...within].flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
  return [secret, encodeURIComponent(secret), bytes.toString("hex"), ...base64];
}
