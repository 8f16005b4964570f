import type { Difference, Miss, TestRef } from "../../../src/core/call/call.ts";
import type { TestRecordingState } from "../../../src/editor/test-code/test-state-model.ts";
import type { FoundTest } from "../../../src/test-discovery/found-test.ts";
import { aMiss, aMissing, entryOf } from "../call-events.ts";
import type { MissingCall } from "../../../src/editor/findings/findings-model.ts";

export const FILE = "tests/chat.test.ts";

/** A declared test on the lines `from` to `to`, within the suite "chat". */
export function declared(title: string, from = 1, to = from, changes: Partial<FoundTest> = {}): FoundTest {
  return {
    kind: "test",
    title,
    path: ["chat", title],
    patterns: [null, null],
    line: from,
    firstLine: from,
    endLine: to,
    isSkipped: false,
    ...changes,
  };
}

export function reference(title: string, changes: Partial<TestRef> = {}): TestRef {
  return { file: FILE, name: ["chat", title], ...changes };
}

export function recorded(prompt: string, ...tests: readonly TestRef[]): TestRecordingState {
  return { entry: entryOf(prompt), tests, state: "recorded" };
}

export function missed(prompt: string, test?: TestRef, miss: Partial<Miss> = {}): MissingCall {
  return aMissing(prompt, {
    id: `id of ${prompt}`,
    miss: { ...aMiss(prompt), model: "gpt-4o-mini", ...miss },
    ...(test && { test }),
    at: 1,
  });
}

/** A nearest recording that differs in these words. */
export function nearest(...texts: readonly string[]): Pick<Miss, "nearest"> {
  const differences = texts.map((text): Difference => ({ at: "/x", kind: "changed", text }));
  const { nearest: found } = aMiss("asked", "recorded");
  return found ? { nearest: { ...found, differences } } : {};
}
