import type { Recording } from "../../../src/core/cassette/recording.ts";
import type { RecordingView } from "../../../src/core/view/describe.ts";
import type { Miss } from "../../../src/core/call/call.ts";

const KEY = `sha256:3f9a2c41${"0".repeat(56)}` as const;

/** 2026-11-20, three days after `aView`'s recording was made. */
export const NOW = Date.UTC(2026, 10, 20, 12);

/** A recording of a chat call; each argument replaces what a test is about. */
export function aView(
  parts: Partial<Omit<RecordingView, "recording">> & { recording?: Partial<Recording> } = {},
): RecordingView {
  const { recording, facts, conversation, projection } = parts;
  return {
    recording: {
      provider: "openai",
      operation: "chat.completions",
      model: "gpt-4o-mini",
      key: KEY,
      request: { method: "POST", path: "/v1/chat/completions", body: new Uint8Array() },
      reply: { status: 200, contentType: "text/event-stream", body: new Uint8Array() },
      recordedAt: "2026-11-17T11:00:00.000Z",
      ...recording,
    },
    facts: facts ?? { model: "gpt-4o-mini", streaming: true, label: "Say hi in one word." },
    conversation: conversation ?? {
      messages: [
        { role: "system", parts: [{ type: "text", text: "You are terse." }] },
        { role: "user", parts: [{ type: "text", text: "Say hi in one word." }] },
      ],
      settings: [
        ["temperature", "0.2"],
        ["seed", "7"],
        ["tools", "get_weather(city)"],
      ],
    },
    projection: projection ?? {
      messages: [{ role: "assistant", parts: [{ type: "text", text: "Hi!" }] }],
      usage: { inputTokens: 21, outputTokens: 2 },
      finishReason: "stop",
      events: 14,
    },
  };
}

export function aMiss(parts: Partial<Miss> = {}): Miss {
  return {
    key: KEY,
    provider: "openai",
    operation: "chat.completions",
    model: "gpt-4o-mini",
    label: "Say hi in one word.",
    request: { method: "POST", path: "/v1/chat/completions", body: new Uint8Array() },
    message: "No recording for this call.",
    ...parts,
  };
}
