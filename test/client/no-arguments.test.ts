import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isChatError } from "../../src/client/errors.ts";
import { isTapedeckError } from "../../src/core/base/errors.ts";
import { isJsonFault } from "../../src/core/base/json/json-parse.ts";

type Target = string | { readonly default: string | { readonly default: string } };
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly exports: Readonly<Record<string, Target>>;
};

/** The module behind each public entry but those of test runners, whose functions belong into their tests. */
async function entries(): Promise<readonly (readonly [string, Readonly<Record<string, unknown>>])[]> {
  const found: [string, Readonly<Record<string, unknown>>][] = [];
  for (const [name, target] of Object.entries(manifest.exports)) {
    if (typeof target === "string" || /(?:vitest|jest|node-test)$/.test(name)) continue;
    const built = typeof target.default === "string" ? target.default : target.default.default;
    const source = `../../${built.replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts")}`;
    found.push([name, (await import(source)) as Readonly<Record<string, unknown>>]);
  }
  return found;
}

const nothing = async (): Promise<undefined> => undefined;
/** What gets past a first look at most arguments. */
const likely = (): object => ({
  ...Object.fromEntries(
    ["complete", "stream", "generate", "createMessage", "askTool", "get", "set"].map((name) => [
      name,
      nothing,
    ]),
  ),
  ...Object.fromEntries(["args", "limits", "llm", "settings"].map((name) => [name, {}])),
  ...Object.fromEntries(["parts", "toolCalls", "tools", "content"].map((name) => [name, []])),
});

/** Made anew for each call: some functions mark what they are given. */
const LEFT_OUT = [
  () => [],
  () => [null],
  () => [5],
  () => [{}],
  () => ["text"],
  () => [[]],
  () => [likely()],
  () => [likely(), likely()],
  () => ["text", 5],
  () => [[], 5],
  () => [[null], 5],
  () => [likely(), 5],
  () => [likely(), likely(), 5],
] satisfies readonly (() => readonly unknown[])[];

test("no public function fails with an error of JavaScript, whatever is left out", async () => {
  const raw: string[] = [];
  let failed = 0;
  for (const [entry, module] of await entries())
    for (const [name, value] of Object.entries(module)) {
      if (typeof value !== "function") continue;
      for (const made of LEFT_OUT) {
        const given = made();
        const call = `${entry} ${name}(${given.map((one) => JSON.stringify(one)).join(", ")})`;
        const failure = await failureOf(value, given);
        if (failure === undefined) continue;
        failed += 1;
        if (!isChatError(failure) && !isTapedeckError(failure) && !isJsonFault(failure))
          raw.push(`${call}: ${String(failure)}`);
      }
    }

  expect(raw).toEqual([]);
  expect(failed).toBeGreaterThan(500);
});

/** Returns the error that a function or class throws, or that its call or stream fails with. */
async function failureOf(value: unknown, given: readonly unknown[]): Promise<unknown> {
  const called = value as (...args: readonly unknown[]) => unknown;
  const isClass = /^class\b/.test(Function.prototype.toString.call(value));
  try {
    const result = isClass ? Reflect.construct(called, given) : called(...given);
    await (isGenerator(result) ? result.next() : result);
  } catch (error) {
    return error;
  }
  return undefined;
}

function isGenerator(value: unknown): value is AsyncGenerator {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value && "next" in value;
}
