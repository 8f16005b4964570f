import type { TraceParent, WireHeaders } from "../call.ts";

const TRACE_PARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/u;

/** What `traceparent` says; undefined where it is not there, or wrong. Source: w3.org/TR/trace-context, 2021-11. */
export function traceParentIn(headers: WireHeaders): TraceParent | undefined {
  const value = headers.find(([name]) => name === "traceparent")?.[1];
  const [, traceId, spanId] = TRACE_PARENT.exec(value?.trim() ?? "") ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}
