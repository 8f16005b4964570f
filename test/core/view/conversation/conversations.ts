import { createHash } from "node:crypto";
import type { Recording } from "../../../../src/core/cassette/recording.ts";
import { describeRecording } from "../../../../src/core/view/describe.ts";
import { createProviders } from "../../../../src/core/protocol/registry.ts";
import { readTurnFacts } from "../../../../src/core/view/conversation/turn-facts.ts";
import { buildChains, type Chain } from "../../../../src/core/view/conversation/turns.ts";
import { bytes } from "../../../support/a-recording.ts";

const providers = createProviders();

/** One call on the wire. */
export interface WireCall {
  readonly provider?: string;
  readonly path?: string;
  readonly ask: unknown;
  readonly reply: unknown;
  readonly contentType?: string;
}

export function recordingOf({ provider = "openai", path, ask, reply, contentType }: WireCall): Recording {
  const at = path ?? "/v1/chat/completions";
  const found = providers.protocolFor({ provider, method: "POST", path: at });
  if (found === undefined) throw new Error(`Nothing of ${provider} is at ${at}.`);
  const body = bytes(JSON.stringify(ask));
  return {
    provider,
    operation: found.protocol.operation,
    key: `sha256:${createHash("sha256").update(at).update(body).digest("hex")}`,
    recordedAt: "2026-01-02T03:04:05Z",
    request: { method: "POST", path: at, body, contentType: "application/json" },
    reply: {
      status: 200,
      contentType: contentType ?? "application/json",
      body: bytes(typeof reply === "string" ? reply : JSON.stringify(reply)),
    },
  };
}

/** The conversations among calls as lines: what was answered, deeper where branches part. */
export function outlineOf(calls: readonly WireCall[]): readonly string[] {
  const views = calls.map((call) => describeRecording(recordingOf(call), providers));
  const lines: string[] = [];
  const add = (chains: readonly Chain<(typeof views)[number]>[], indent: string): void => {
    for (const { turns, branches } of chains) {
      for (const { number, call } of turns) lines.push(`${indent}${number} ${readTurnFacts(call).answered}`);
      add(branches, `${indent}  `);
    }
  };
  add(buildChains(views, readTurnFacts), "");
  return lines;
}

/** A chat call of the most common kind: the messages so far and the answer. */
export function aChatCall(messages: readonly unknown[], answer: unknown): WireCall {
  const message = typeof answer === "string" ? { role: "assistant", content: answer } : answer;
  return {
    ask: { model: "m", messages },
    reply: { choices: [{ index: 0, message, finish_reason: "stop" }] },
  };
}

export function user(content: string): unknown {
  return { role: "user", content };
}

export function assistant(content: string): unknown {
  return { role: "assistant", content };
}
