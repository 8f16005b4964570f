import { describe, expect, it } from "vitest";
import type { Dialect, Protocol } from "../../src/core/protocol/base/protocol.ts";
import { framingOf } from "../../src/core/base/wire/framing.ts";
import { replyingFetch } from "../support/sdk-reading.ts";
import {
  endOf,
  projections,
  readingAnything,
  refusals,
  refusingRequests,
  streaming,
  type ProtocolCase,
  type SdkCall,
} from "./protocol-contract.ts";

/** An operation in which nobody converses: embeddings, pictures, sound, files. */
export interface OperationSubject {
  readonly protocol: Protocol;
  readonly dialect: Dialect;
  readonly path: string;
  readonly cases: readonly ProtocolCase[];
  /** The official SDK with a request that its reply need not fit. */
  readonly sdk: SdkCall;
  readonly faults: readonly (readonly [fault: string, wrong: unknown])[];
  /** Whether an error of the provider may be a reply of the operation: what is downloaded may be anything. */
  readonly isContent?: true;
}

/** What such an operation has to keep; see `protocolContract` for those in which somebody converses. */
export function operationContract(name: string, subject: OperationSubject): void {
  describe(`${name}, by the contract of operations`, () => {
    const { protocol, cases, sdk } = subject;
    const named = cases.map((one) => [one.fixture.name, one] as const);
    projections(subject);
    streaming(subject);
    refusingRequests(subject);
    readingAnything(subject);
    if (subject.isContent !== true) refusals(protocol, subject.dialect, sdk);

    it.each(named)("%s is recognised", (_name, { fixture }) => {
      const [pathname = ""] = fixture.request.path.split("?", 1);

      expect(protocol.accepts(fixture.request.method, pathname)).toBe(true);
      expect(subject.dialect.operations.find((one) => one.accepts(fixture.request.method, pathname))).toBe(
        protocol,
      );
    });

    it.each(named)("%s: a reply made from a draft is whole and read without fault", (_name, { fixture }) => {
      const composed = protocol.compose({ text: "A draft." }, fixture.request);

      const { messages } = protocol.project({ status: 200, ...composed });
      const parts = messages.flatMap((message) => message.parts);
      const isStream = protocol.stream !== undefined && framingOf(composed.contentType) !== undefined;
      expect(
        isStream ? endOf(protocol, composed.body, composed.contentType) : protocol.isWhole(composed.body),
      ).toBe(isStream ? "whole" : true);
      expect(messages.map(({ role }) => role)).not.toContain("error");
      expect(parts.map((part) => ("description" in part ? part.description : ""))).not.toContain(
        "unreadable reply",
      );
    });

    it.each(named)("%s: a reply made from a draft says what the draft has of usage", (_name, { fixture }) => {
      const usage = { inputTokens: 12, outputTokens: 3 };

      const composed = protocol.compose({ text: "A draft.", usage }, fixture.request);

      const read = protocol.project({ status: 200, ...composed });
      const said = read.messages.flatMap(({ parts }) =>
        parts.map((part) => ("text" in part ? part.text : "")),
      );
      const isTold = said.includes("A draft.") && read.usage !== undefined;
      expect(isTold ? read.usage : usage).toMatchObject(usage);
    });

    it("a reply made from a draft is taken by the official SDK", async () => {
      const [first] = cases;
      const composed = protocol.compose({ text: "A draft." }, first!.fixture.request);
      const headers = [["content-type", composed.contentType]] as const;
      const { fetch } = replyingFetch({ status: 200, headers, body: composed.body });

      await expect(sdk.call(fetch)).resolves.toBeDefined();
    });
  });
}
