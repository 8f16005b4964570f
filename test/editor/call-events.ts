import type { CallEvent, Key, Miss, TestRef } from "../../src/core/call/call.ts";
import { createFindingsOfCall } from "../../src/core/view/finding.ts";
import { pickDefined } from "../../src/core/base/pick-defined.ts";
import type { MissingCall } from "../../src/editor/findings/findings-model.ts";

/** The test that calls of these stories belong to, in one of its executions. */
export function aTest(title: string, execution?: string): TestRef {
  return { file: "tests/chat.test.ts", name: ["chat", title], ...(execution !== undefined && { execution }) };
}

export function keyOf(prompt: string): Key {
  return `sha256:${Buffer.from(prompt).toString("hex").padEnd(64, "0")}`;
}

export function entryOf(prompt: string, take = 1): string {
  const hex = keyOf(prompt).slice("sha256:".length);
  return `calls/openai/${hex.slice(0, 2)}/${hex}${take === 1 ? "" : `.${take}`}.json`;
}

let count = 0;

/** A call with this prompt; replayed by default. */
export function aCall(prompt: string, changes: Partial<CallEvent> = {}): CallEvent {
  count += 1;
  const outcome = changes.outcome ?? "replayed";
  const isStored = outcome === "replayed" || outcome === "recorded";
  return {
    id: count,
    at: 1_000 * count,
    ms: 1,
    run: "workspace",
    mode: "strict",
    provider: "openai",
    operation: "chat.completions",
    model: "gpt-4o-mini",
    label: prompt,
    outcome,
    key: keyOf(prompt),
    entry: isStored ? entryOf(prompt) : null,
    ...(outcome === "miss" && { miss: aMiss(prompt) }),
    ...changes,
  };
}

export function aMiss(prompt: string, nearest?: string): Miss {
  return {
    key: keyOf(prompt),
    provider: "openai",
    operation: "chat.completions",
    label: prompt,
    request: { method: "POST", path: "/v1/chat/completions", body: new Uint8Array() },
    message: `nothing is recorded for ${prompt}`,
    ...(nearest !== undefined && {
      nearest: {
        entry: entryOf(nearest),
        key: keyOf(nearest),
        recordedAt: "2026-01-01T00:00:00Z",
        differences: [],
      },
    }),
  };
}

/** A missing call as a window knows it. */
export function aMissing(prompt: string, changes: Partial<MissingCall> = {}): MissingCall {
  const event = aCall(prompt, { outcome: "miss", ...pickDefined({ test: changes.test }) });
  const [finding] = createFindingsOfCall(event, "editor");
  if (finding === undefined) throw new Error("nothing is missing");
  return { ...finding, kind: "missing", miss: aMiss(prompt), ...changes };
}
