import { localize, joinList, joinSentences } from "../core/base/localize.ts";
import { bypassFix, bypassText } from "../core/view/finding.ts";
import { cutText, makeVisibleLine } from "../core/base/visible.ts";
import type { ObservedRun } from "./run-observer.ts";

/** The facts known about tests that made no call through Tapedeck. */
export interface UnreachedFacts {
  readonly observed: ObservedRun;
  /** Whether processes report their start: only then does a missing report mean that none started. */
  readonly tellsStart: boolean;
  /** Whether the run has a proxy. */
  readonly isProxied?: boolean;
  /** The variables of keys that are not set although calls may go to their providers; "all" where no provider has one. */
  readonly keysMissing: readonly string[] | "all";
  /** The output of the tests, if it was captured. */
  readonly output?: string;
  /** The test runner that the command line names, if any. */
  readonly runner?: string | undefined;
}

/** The cause and the fix, one or two sentences each. */
export interface UnreachedReason {
  readonly cause:
    | "passed"
    | "key"
    | "no-test"
    | "skipped"
    | "other-run"
    | "mocked"
    | "elsewhere"
    | "process"
    | "unknown";
  readonly reason: string;
  readonly fix: string;
  /** The variable of the missing key, if it is known. */
  readonly variable?: string;
}

/** Returns why no call reached Tapedeck. Observed causes come first, then causes that follow from what is missing. */
export function explainUnreached(facts: UnreachedFacts): UnreachedReason {
  const { observed, tellsStart, keysMissing, output = "" } = facts;
  const [passed] = observed.passed;
  const noKey = firstLine(output, NO_KEY);
  if (passed !== undefined)
    return { cause: "passed", reason: bypassText(passed), fix: passed.fix ?? bypassFix() };
  if (noKey !== undefined)
    return {
      cause: "key",
      reason: localize("An SDK has no key and sent nothing: {0}", makeVisibleLine(noKey)),
      ...fixKeys(keysMissing),
    };
  const noTest = noTestRan(facts);
  if (noTest !== undefined) return noTest;
  if (observed.startsRun)
    return {
      cause: "other-run",
      reason: localize("The command starts tapedeck itself, and that run gets the calls."),
      fix: localize("To get them here, remove tapedeck from the command."),
    };
  if (observed.mockedBy.length > 0)
    return {
      cause: "mocked",
      reason: localize(
        "{0} may have answered the calls of the tests.",
        makeVisibleLine(observed.mockedBy.join(", ")),
      ),
      fix: localize("To record calls, run these tests without it."),
    };
  if (observed.elsewhere.length > 0)
    return {
      cause: "elsewhere",
      reason: localize(
        "The client uses its own address: calls were sent to {0}.",
        makeVisibleLine(observed.elsewhere.join(", ")),
      ),
      fix: localize("Read the provider's base-URL variable or TAPEDECK_URL instead of that address."),
    };
  if (tellsStart && observed.processes === 0) return noProcess(facts);
  if (keysMissing.length > 0)
    return {
      cause: "key",
      reason: localize("Not set: {0}. An SDK without a key sends nothing.", missingText(keysMissing)),
      ...fixKeys(keysMissing),
    };
  return unknownCause(facts);
}

function unknownCause({ observed, tellsStart, isProxied = false }: UnreachedFacts): UnreachedReason {
  return {
    cause: "unknown",
    reason: localize(
      "The tests made no calls, mock them in their own code (vi.mock, unittest.mock), or did not run because Turborepo or Nx had their results.",
    ),
    fix: joinSentences(
      localize("Read the provider's base-URL variable or TAPEDECK_URL in the client."),
      // npx and npm are processes of Node, whatever they start.
      tellsStart && !observed.ranTests ? reachOtherLanguages(isProxied) : "",
    ),
  };
}

/** A test runner started, or was to start, and no test began; undefined where a test did, or where that is not known. */
function noTestRan({
  observed,
  runner,
  tellsStart,
  output = "",
}: UnreachedFacts): UnreachedReason | undefined {
  const [started] = observed.runners;
  if (observed.ranTests) {
    // A skipped test of pytest begins.
    if (started === undefined || !isAllSkipped(output)) return undefined;
    return { cause: "skipped", reason: localize("No test ran: {0} skipped all of them.", started), fix: "" };
  }
  if (started !== undefined) {
    const line = firstLine(output, NO_TEST);
    const reason = localize("No test ran: {0} ended before its first test.", started);
    return line === undefined
      ? { cause: "no-test", reason, fix: readOutput() }
      : {
          cause: "no-test",
          reason: joinSentences(reason, localize("It printed: {0}", makeVisibleLine(line))),
          fix: "",
        };
  }
  if (runner === undefined) return undefined;
  return tellsStart
    ? {
        cause: "no-test",
        reason: localize(
          "No test of {0} reported to Tapedeck: none ran, or its processes did not get Tapedeck's variables.",
          runner,
        ),
        fix: joinSentences(localize("Read its output."), passOn()),
      }
    : {
        cause: "no-test",
        reason: localize(
          "No test of {0} reported to Tapedeck: none ran, or its terminal belongs to another window.",
          runner,
        ),
        fix: localize("Read its output. If its tests ran, run them again in a new terminal of this window."),
      };
}

/** Whether runners sum up that tests were skipped, and that none passed or failed. */
function isAllSkipped(output: string): boolean {
  const text = output.replace(COLORS, "");
  return SKIPPED.test(text) && !RAN.test(text);
}

/** Source: pytest 9, vitest 4, jest 30, mocha 11, Playwright 1.56, node:test of Node 26. */
const SKIPPED = /\b[1-9]\d* (?:skipped|pending)\b|\bskipped [1-9]/u;
const RAN = /\b[1-9]\d* (?:x?passed|x?failed|errors?|passing|failing)\b|\b(?:pass|fail|cancelled) [1-9]/u;

const readOutput = (): string =>
  localize(
    "Read its output: its file may be missing or fail to load, its filter may match no test, or its tests are skipped.",
  );

/** How runners say that they have no test to run, or could not load one. Source: vitest 4, jest 30, mocha 11, pytest 8, Node 26. */
const NO_TEST =
  /no tests? (?:files? )?(?:were )?(?:found|ran|collected)|file or directory not found|Could not find '|Cannot find (?:module|package)|Failed to (?:load|resolve)|Test suite failed to run|No module named|(?:Syntax|Import|ModuleNotFound|Collection)Error\b/iu;

const passOn = (): string =>
  localize(
    "Pass the environment variables to the tests: a container, sudo, env -i, tox, and turbo do not pass them, and a script that sets NODE_OPTIONS or PYTHONPATH replaces them.",
  );

const reachOtherLanguages = (isProxied: boolean): string =>
  isProxied
    ? localize(
        "For a client that reads no proxy variable, or that has its own list of certificates, set its base URL: to its provider's variable, or to a path of TAPEDECK_URL.",
      )
    : localize(
        "For a client in Bun, Deno, Go, Java, or another language that does not read a base-URL variable, use `tapedeck run --proxy`.",
      );

/** A program in another language may have lacked its key as well. */
function noProcess({ keysMissing, isProxied = false }: UnreachedFacts): UnreachedReason {
  return {
    cause: "process",
    reason: joinSentences(
      localize("No Node or Python process that could make a call reported its start."),
      keysMissing.length === 0 ? "" : localize("Also not set: {0}.", missingText(keysMissing)),
    ),
    fix: joinSentences(reachOtherLanguages(isProxied), passOn()),
  };
}

function missingText(keys: UnreachedFacts["keysMissing"]): string {
  if (keys === "all")
    return localize("the key of a provider (OPENAI_API_KEY, ANTHROPIC_API_KEY, or the like)");
  return joinList(keys);
}

function fixKeys(keys: UnreachedFacts["keysMissing"]): Pick<UnreachedReason, "fix" | "variable"> {
  const [variable] = keys === "all" ? [] : keys;
  const named = variable ?? localize("the provider's key variable");
  const fix = localize(
    'Set {0} to your own key in the environment of the tests, or run "Tapedeck: Set Provider Key…" in VS Code.',
    named,
  );
  return { fix, ...(variable !== undefined && { variable }) };
}

/** Matches the messages of SDKs that have no key. Source: openai 6, openai-python 2, @anthropic-ai/sdk 1, google-genai 1. */
const NO_KEY =
  /(?:API_KEY|api_key|apiKey|authToken)\b.{0,80}?(?:missing|must be set|not set|is required|must be provided)|missing (?:api )?(?:key|credentials)|Could not resolve authentication method|(?:must be set|setting the) .{0,60}API_KEY/iu;

/** Returns the first line of a test's output that matches, without colors and shortened. */
function firstLine(output: string, pattern: RegExp): string | undefined {
  const line = output
    .replace(COLORS, "")
    .split("\n")
    .find((one) => pattern.test(one));
  return line && cutText(line.trim(), LONGEST);
}

const LONGEST = 160;
/** Color codes in a runner's output. */
// oxlint-disable-next-line no-control-regex
const COLORS = /\u001b\[[\d;]*m/gu;

/** Returns the first key variable of each of these providers that has no key in `environment`. */
export function listKeysNotIn(
  environment: Readonly<Record<string, string | undefined>>,
  keyVariables: readonly (readonly string[])[],
): readonly string[] {
  return keyVariables.flatMap((variables) =>
    variables.some((variable) => (environment[variable] ?? "") !== "") ? [] : variables.slice(0, 1),
  );
}
