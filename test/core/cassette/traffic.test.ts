import { expect, it } from "vitest";
import { encodeRecording } from "../../../src/core/cassette/codec.ts";
import { aRecording, textOf } from "../../support/a-recording.ts";
import { isMainTraffic, loadRecordedTraffic, type RecordedExchange } from "../../support/recorded-traffic.ts";

/** Framed as the two frame their streams: what others do otherwise is kept beside each event. */
function isPlain({ reply }: RecordedExchange): boolean {
  return /^(?:(?:event: \w+\n)?data: (?:\{"\w+":\S[^\n]*|\[DONE\])\n\n)+$/.test(textOf(reply.body));
}

it("recorded streams of OpenAI and Anthropic are readable: each event without its envelope", () => {
  const { exchanges } = loadRecordedTraffic(({ request }) => !request.path.startsWith("/upload/"));
  const streams = exchanges.filter(
    (one) => isMainTraffic(one) && one.reply.contentType.includes("stream") && isPlain(one),
  );

  const opaque = streams.flatMap((exchange) => {
    const { source, provider, operation, reply } = exchange;
    const { headers: _, ...request } = exchange.request;
    const { text } = encodeRecording(aRecording({ provider, operation, request, reply }));
    return /^ {4}"(text|base64)"|^ {6}\{"(raw|base64)"|^ {4}"style"/m.test(text) ? [source] : [];
  });

  expect(opaque).toEqual([]);
  expect(streams.length).toBeGreaterThan(30);
});
