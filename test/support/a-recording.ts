import { createHash } from "node:crypto";
import type { RecordedReply, RecordedRequest, Recording } from "../../src/core/cassette/recording.ts";
import type { TestRef } from "../../src/core/call/call.ts";
import { readBody } from "../../src/core/base/read-body.ts";
import { computeKey } from "../../src/core/match/key/key.ts";

export function sha256(data: Uint8Array | string): string {
  return createHash("sha256").update(data).digest("hex");
}

export function bytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "utf8"));
}

export function textOf(body: Uint8Array): string {
  return Buffer.from(body).toString("utf8");
}

interface RecordingOptions {
  readonly provider?: string;
  readonly operation?: string;
  /** The user message; another question gives another key. */
  readonly question?: string;
  readonly request?: Partial<RecordedRequest>;
  readonly reply?: Partial<RecordedReply>;
  readonly test?: TestRef;
}

/** A whole recording with the key that its request has. */
export function aRecording(wanted: RecordingOptions = {}): Recording {
  const { provider = "openai", operation = "chat.completions", question = "How are you?", test } = wanted;
  const asked = { model: "gpt-4o-mini", messages: [{ role: "user", content: question }] };
  const request = {
    method: "POST",
    path: "/v1/chat/completions",
    body: bytes(JSON.stringify(asked)),
    ...wanted.request,
  };
  const keyed = { ...request, provider, operation, body: readBody({ ...request, operation }) };
  return {
    provider,
    operation,
    model: "gpt-4o-mini",
    key: computeKey(keyed, sha256),
    recordedAt: "2026-01-02T03:04:05.678Z",
    ...(test && { test }),
    request,
    reply: { status: 200, contentType: "application/json", body: bytes('{"ok":true}'), ...wanted.reply },
  };
}

/** A recording whose reply has this text. */
export function aReplyOf(text: string, question?: string): Recording {
  return aRecording({
    ...(question !== undefined && { question }),
    reply: { body: bytes(JSON.stringify({ text })) },
  });
}
