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
  /** Calls by what they end with. */
  const told = new Map<string, string[]>();
  const raw: string[] = [];
  for (const [entry, module] of await entries())
    for (const [name, value] of Object.entries(module)) {
      if (typeof value !== "function") continue;
      for (const made of LEFT_OUT) {
        const given = made();
        const call = `(${given.map((one) => shownArgument(one)).join(", ")})`;
        const failure = await failureOf(value, given);
        if (failure === undefined) continue;
        if (isChatError(failure) || isTapedeckError(failure) || isJsonFault(failure)) {
          const line = `${entry} ${name} ▸ ${said(failure)}`;
          told.set(line, [...(told.get(line) ?? []), call]);
        } else raw.push(`${entry} ${name}${call}: ${String(failure)}`);
      }
    }
  const lines = Array.from(told, ([line, calls]) => `${line}\n  ${calls.join(" ")}`);

  expect(raw).toEqual([]);
  // `vitest FILE -u` writes the page anew.
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("no-arguments.txt");
});

/** Returns the message and, if there is one, the hint. */
function said(failure: unknown): string {
  const { message, hint } = failure as { readonly message: string; readonly hint?: string };
  return hint === undefined ? message : `${message} ▸ ${hint}`;
}

const shownArgument = (one: unknown): string =>
  typeof one === "object" && one !== null && "parts" in one ? "likely" : JSON.stringify(one);

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
