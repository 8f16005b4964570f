import type { ConversationPart, Projection } from "../../src/core/protocol/base/protocol.ts";
import type { ProtocolCase } from "../contract/protocol-contract.ts";
import { trafficFixture } from "./traffic-fixture.ts";

/** Cases from the fixtures of a folder, all with the same provider and path. */
export function casesOf(folder: string, call: { readonly provider: string; readonly path: string }) {
  return (name: string, projection: Projection, ends: ProtocolCase["ends"] = "whole"): ProtocolCase => ({
    fixture: trafficFixture(folder, name, call),
    ends,
    projection,
  });
}

export function says(...parts: ConversationPart[]): Projection["messages"] {
  return [{ role: "assistant", parts }];
}

export function text(value: string): ConversationPart {
  return { type: "text", text: value };
}

export function fails(told: string): Projection["messages"][number] {
  return { role: "error", parts: [text(told)] };
}
