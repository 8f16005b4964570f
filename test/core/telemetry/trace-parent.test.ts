import { expect, it } from "vitest";
import { traceParentIn } from "../../../src/core/telemetry/trace-parent.ts";

const IDS = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const VALUE = `00-${IDS.traceId}-${IDS.spanId}-01`;

it.each([
  ["a header as it should be", VALUE, IDS],
  ["one of a later version, with more in it", `01-${IDS.traceId}-${IDS.spanId}-01-more`, IDS],
  ["no trace", `00-${"0".repeat(32)}-${IDS.spanId}-01`, undefined],
  ["no span", `00-${IDS.traceId}-${"0".repeat(16)}-01`, undefined],
  ["a version that is none", `ff-${IDS.traceId}-${IDS.spanId}-01`, undefined],
  ["capitals", VALUE.toUpperCase(), undefined],
  ["another text", "sk-not-a-trace", undefined],
])("the span that made a call is read from %s", (_, value, expected) => {
  expect(traceParentIn([["traceparent", value]])).toEqual(expected);
});

it("a call without the header has none", () => {
  expect(traceParentIn([["tracestate", "a=b"]])).toBeUndefined();
});
