import { expect, test } from "vitest";
import { getDialect } from "../../src/core/protocol/dialects.ts";
import { PROVIDERS } from "../../src/core/protocol/providers.ts";
import { isKept, isStreamed } from "../support/conformance.ts";
import { corpus } from "../support/corpus/corpus.ts";

const exchanges = corpus();
const kept = exchanges.filter(isKept);

test("the corpus has every operation of every provider, and each that streams as a stream, too", () => {
  const there = new Set(kept.map(({ provider, operation }) => `${provider} ${operation}`));
  const streamed = new Set(
    kept.filter(isStreamed).map(({ provider, operation }) => `${provider} ${operation}`),
  );
  // Sessions are WebSockets, and the corpus consists of single calls. A gateway's operations are those of other providers.
  const known = PROVIDERS.filter(({ dialect }) => dialect !== "host").flatMap(({ name, dialect }) =>
    getDialect(dialect)
      .operations.filter(({ session }) => session === undefined)
      .map(({ operation, stream }) => ({ name: `${name} ${operation}`, stream })),
  );

  expect(known.filter(({ name }) => !there.has(name)).map(({ name }) => name)).toEqual([]);
  expect(
    known.filter(({ name, stream }) => stream !== undefined && !streamed.has(name)).map(({ name }) => name),
  ).toEqual([]);
});

test("every call of the corpus is recognised as the operation for which it was made", () => {
  const wrong = exchanges.filter(({ source, operation }) => source.split("/")[2] !== operation);

  expect(wrong.map(({ source, operation }) => `${source} is ${operation}`)).toEqual([]);
  expect(new Set(exchanges.map(({ source }) => source)).size).toBe(exchanges.length);
});
