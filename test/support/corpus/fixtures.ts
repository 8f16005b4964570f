import { endOf, FIXTURES, type WireFixture } from "../wire-fixtures.ts";
import type { GeneratedCall, Maker, Makers } from "./place.ts";
import { jsonRequest, type MadeRequest } from "./wire.ts";

/**
 * The calls of `test/fixtures/traffic` that a provider answered whole, by their operations. `base` is the prefix of their
 * paths, which a place replaces by its own.
 */
export function fixtureMakers(provider: string, base: string): Makers {
  const operations = new Set(wholeOf(provider).map(({ protocol }) => protocol.operation));
  return Object.fromEntries([...operations].map((name) => [name, fixtureMaker(provider, base, name)]));
}

/** The calls of one operation, at another path if that is given. */
export const fixtureMaker =
  (
    provider: string,
    base: string,
    operation: string,
    [from, to]: [from: string, to: string] = ["", ""],
  ): Maker =>
  (place) =>
    wholeOf(provider)
      .filter(({ protocol }) => protocol.operation === operation)
      .map((one) => callOf(one, `${place.base}${one.path.slice(base.length)}`.replace(from, to)));

const wholeOf = (provider: string): readonly WireFixture[] =>
  FIXTURES.filter(
    (one) =>
      one.provider.name === provider &&
      endOf(one.protocol, one.reply.body, one.reply.contentType) === "whole",
  );

function callOf({ name, reply, ...one }: WireFixture, path: string): GeneratedCall {
  const { method, body } = one.request;
  const request: MadeRequest =
    body.kind === "json"
      ? jsonRequest(path, one.asked)
      : body.kind === "empty"
        ? { method, path, body: new Uint8Array() }
        : { method, path, body: body.bytes, ...(body.contentType && { contentType: body.contentType }) };
  return { name, request, reply: { ...reply, body: Uint8Array.from(reply.body) } };
}
