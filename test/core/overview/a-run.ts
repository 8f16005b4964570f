import type { RunCall } from "../../../src/core/run-record/run-record.ts";
import { aRunCall } from "../../support/a-run.ts";

/** A replayed call of no known test, but for what is said of it. */
export function aCall(said: Partial<RunCall>): RunCall {
  const { test: _, ...call } = aRunCall("Hi", { model: "gpt-4o" });
  return { ...call, ...said };
}
