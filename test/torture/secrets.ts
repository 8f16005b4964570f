import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../../src/core/answer/engine.ts";
import type { Answer, CallEvent, Mode } from "../../src/core/call/call.ts";
import { createRun } from "../../src/core/answer/runs.ts";
import type { SecretsPolicy } from "../../src/core/call/secrets-policy.ts";
import type { IncomingReply } from "../../src/core/answer/source/source.ts";
import { textOf } from "../support/an-engine.ts";
import { secretsThat } from "../support/secrets-that.ts";
import { seeded } from "../support/seeded.ts";
import { anEngineOn } from "./folder-engine.ts";
import { aSecretCase, type SecretCase } from "./secret-case.ts";
import { readByThief, unescaped } from "./thief.ts";
import type { Torture } from "./torture.ts";

/** Cases of one folder. */
const BATCH = 200;

export const secrets: Torture = {
  name: "secrets of known kinds in random places",
  promise: "none is on disk or in reports; redacted calls are found again",
  quick: 15,
  short: 400,
  long: 20_000,
  async run({ seed, cases }) {
    const random = seeded(seed);
    const failures: string[] = [];
    const counts = { redacted: 0, refused: 0 };
    for (let begun = 0; begun < cases; begun += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, cases - begun) }, (_, at) =>
        aSecretCase(random, begun + at),
      );
      for (const policy of ["redact", "drop", "fail"] as const) {
        const those = batch.filter((one) => one.policy === policy);
        const dir = mkdtempSync(join(tmpdir(), "tapedeck-torture-"));
        const tried = await recordAll(dir, policy, those);
        failures.push(...tried.failures, ...leaks(dir, tried.told, those));
        counts.redacted += tried.recorded;
        counts.refused += those.length - tried.recorded;
        rmSync(dir, { recursive: true });
      }
    }
    return {
      cases,
      failures,
      note: `${counts.redacted} redacted and found again, ${counts.refused} not recorded`,
    };
  },
};

interface Tried {
  readonly failures: readonly string[];
  readonly recorded: number;
  /** All reports, in a project that redacts secrets. */
  readonly told: string;
}

async function recordAll(dir: string, policy: SecretsPolicy, cases: readonly SecretCase[]): Promise<Tried> {
  const told: string[] = [];
  const replies = new Map(cases.map((one) => [one.body, one.reply]));
  const engine = anEngineOn(dir, {
    replyTo: (body) => replyOf(replies.get(body)),
    warn: (message) => told.push(message),
    secrets: await secretsThat(policy),
  });
  const events: CallEvent[] = [];
  engine.onCall((event) => events.push(event));
  const failures: string[] = [];
  let recorded = 0;
  for (const one of cases) {
    const answer = await ask(engine, one.body, "record");
    const wanted = policy === "redact" ? "recorded" : "forwarded";
    if (answer.body !== one.reply)
      failures.push(`the client got another reply than the upstream's: ${one.name}`);
    if (answer.outcome !== wanted) failures.push(`${answer.outcome} and not ${wanted}: ${one.name}`);
    if (answer.failsRun !== (policy === "fail")) failures.push(`whether the run fails is wrong: ${one.name}`);
    if (answer.outcome !== "recorded") continue;
    recorded += 1;
    const again = await ask(engine, one.otherBody, "strict");
    if (again.outcome !== "replayed") failures.push(`not found again (${again.outcome}): ${one.name}`);
    else if (shapeOf(again.body) !== shapeOf(one.reply))
      failures.push(`no longer the same framing: ${one.name}`);
  }
  const shown =
    policy === "redact" ? JSON.stringify(events.map((event) => ({ ...event, miss: undefined }))) : "";
  return { failures, recorded, told: `${told.join("\n")}\n${shown}` };
}

/** Returns the shape of a reply that redaction must keep: its events, each valid JSON. */
function shapeOf(reply: string): string {
  if (!reply.startsWith("event:") && !reply.startsWith("data:"))
    return JSON.stringify(Object.keys(JSON.parse(reply)));
  const data = [...reply.matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]) => Object.keys(JSON.parse(json)));
  return JSON.stringify([reply.split("\n\n").length, data]);
}

function replyOf(text: string | undefined): IncomingReply | undefined {
  if (text === undefined) return undefined;
  const type = text.startsWith("{") ? "application/json" : "text/event-stream";
  return { status: 200, headers: [["content-type", type]], body: chunked(text) };
}

/** In pieces that end anywhere. */
async function* chunked(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 53) yield bytes.subarray(at, at + 53);
}

interface EngineAnswer {
  readonly outcome: string;
  readonly failsRun: boolean;
  readonly body: string;
}

async function ask(engine: Engine, body: string, mode: Mode): Promise<EngineAnswer> {
  const anthropic = body.includes('"max_tokens"');
  const answer: Answer = await engine.answer({
    provider: anthropic ? "anthropic" : "openai",
    method: "POST",
    path: anthropic ? "/v1/messages" : "/v1/chat/completions",
    headers: [["content-type", "application/json"]],
    body: Buffer.from(body),
    run: createRun({ id: mode, mode }),
    signal: new AbortController().signal,
  });
  const reply = await textOf(answer);
  const { outcome, failsRun = false } = await answer.settled;
  return { outcome, failsRun, body: reply };
}

function leaks(dir: string, told: string, cases: readonly SecretCase[]): readonly string[] {
  const texts = readByThief(dir, ["content", "arguments", "partial_json", "text"]);
  const all = [texts, told, unescaped(told)].join("\n");
  return cases
    .filter(({ secrets: known }) => known.some((secret) => all.includes(secret)))
    .map(({ name }) => `on disk or reported: ${name}`);
}
