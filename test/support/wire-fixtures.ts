import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  createCutterFor,
  cutBody,
  chooseFraming,
  writePieceText,
  type Framing,
} from "../../src/core/base/wire/framing.ts";
import type { Protocol, Provider } from "../../src/core/protocol/base/protocol.ts";
import { createProviders } from "../../src/core/protocol/registry.ts";
import { TRAFFIC, trafficFixture, type TrafficFixture } from "./traffic-fixture.ts";

/** A fixture and the operation that it belongs to. */
export interface WireFixture extends TrafficFixture {
  readonly folder: string;
  readonly path: string;
  readonly provider: Provider;
  readonly protocol: Protocol;
}

const providers = createProviders();

export function operationAt(name: string, method: string, path: string, streams = false) {
  const headers = streams ? ([["x-dashscope-sse", "enable"]] as const) : [];
  const found = providers.protocolFor({ provider: name, method, path, headers });
  if (found === undefined) throw new Error(`no provider ${name}`);
  return found;
}

/** The fixtures of `test/fixtures/traffic`, by its page of paths. */
export const FIXTURES: readonly WireFixture[] = readFileSync(join(TRAFFIC, "paths.txt"), "utf8")
  .trim()
  .split("\n")
  .flatMap((row) => {
    const [folder = "", provider = "", path = "", ...names] = row.split(" ");
    return names.map((name) => {
      const fixture = trafficFixture(folder, name, { provider, path });
      const streams = chooseFraming(fixture.reply.contentType) !== undefined;
      return { ...fixture, folder, path, ...operationAt(provider, fixture.request.method, path, streams) };
    });
  });

export const framingIn = ({ stream }: Protocol, contentType: string): Framing | undefined =>
  stream && (chooseFraming(contentType) ?? stream.inJson);

/** How a reply ended, as the recorder sees it. */
export function endOf(
  protocol: Protocol,
  body: Uint8Array,
  contentType = "text/event-stream",
): "whole" | "cut" | "failed" {
  const { stream } = protocol;
  const framing = framingIn(protocol, contentType);
  if (stream === undefined || framing === undefined) return protocol.isWhole(body) ? "whole" : "failed";
  const frames = framesOf(body, framing);
  if (frames.some((frame) => stream.isError(frame))) return "failed";
  const hasEnd = frames.some((frame) => stream.isTerminal(frame)) || stream.isFinished?.(body) === true;
  return hasEnd ? "whole" : "cut";
}

export const framesOf = (body: Uint8Array, framing: Framing): readonly string[] =>
  cutBody(body, framing).map((piece) => writePieceText(piece, framing));

/** Returns the frames of a body that arrives byte by byte. */
export function framesByByte(body: Uint8Array, framing: Framing): readonly Uint8Array[] {
  const cutter = createCutterFor(framing);
  return [...[...body].flatMap((byte) => cutter.push(new Uint8Array([byte]))), cutter.rest()];
}
