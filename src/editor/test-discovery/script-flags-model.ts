import type { RunnerName } from "./test-runner-model.ts";

type ScriptRunner = Exclude<RunnerName, "pytest" | "unittest">;

/** What a project's own script gives node and the runner, as far as running a single test needs it too. */
interface ScriptFlags {
  readonly commandFlags: readonly string[];
  readonly runnerFlags: readonly string[];
}

const STARTS: Readonly<Record<ScriptRunner, RegExp>> = {
  vitest: /(?:^|[\s/\\])vitest(?:\.mjs)?(?=\s|$)/,
  jest: /(?:^|[\s/\\])jest(?:\.js)?(?=\s|$)/,
  mocha: /(?:^|[\s/\\])_?mocha(?:\.js)?(?=\s|$)/,
  playwright: /(?:^|[\s/\\])playwright\s+test(?=\s|$)/,
  node: /(?:^|[\s/\\])(?:node|tsx)(?:\.exe)?\s(?:.*\s)?--test(?=[\s=]|$)/,
};

/** Flags that are followed by a value, worth keeping for a single test. */
const RUNNER_VALUES: Readonly<Record<ScriptRunner, readonly string[]>> = {
  vitest: ["--config", "-c", "--project", "--environment"],
  jest: ["--config", "-c"],
  mocha: "--config --require -r --import --loader -n --node-option --ui -u --timeout -t".split(" "),
  playwright: ["--config", "-c", "--project"],
  node: [],
};
const NODE_VALUES = [
  "--import",
  "--require",
  "-r",
  "--loader",
  "--experimental-loader",
  "--conditions",
  "-C",
  "--env-file",
];
const NODE_SWITCH = /^--(?:no-)?(?:experimental-|enable-source-maps$|strip-types$)/;

/** Whether one of the scripts starts this runner; `test` and what begins with it come first. */
export function findScript(
  scripts: Readonly<Record<string, string>>,
  runner: ScriptRunner,
): { readonly name: string; readonly command: string } | undefined {
  const names = Object.keys(scripts).sort((a, b) => rank(a) - rank(b));
  for (const name of names) {
    const command = scripts[name]?.split(/&&|\|\||[;|]/).find((part) => STARTS[runner].test(part));
    if (command !== undefined) return { name, command };
  }
  return undefined;
}

const rank = (name: string): number => (name === "test" ? 0 : name.startsWith("test") ? 1 : 2);

export function scriptFlags(scripts: Readonly<Record<string, string>>, runner: ScriptRunner): ScriptFlags {
  const words = commandWords(findScript(scripts, runner)?.command ?? "");
  const start = words.findIndex((word) => new RegExp(`(?:^|[/\\\\])_?${runner}(?:\\.m?js)?$`).test(word));
  const before = runner === "node" ? words : words.slice(0, Math.max(start, 0));
  const options = before
    .filter((word) => word.startsWith("NODE_OPTIONS="))
    .flatMap((word) => commandWords(word.slice("NODE_OPTIONS=".length)));
  const byTsx =
    runner === "node" && words.some((word) => /(?:^|[/\\])tsx$/.test(word)) && !words.includes("--import");
  return {
    commandFlags: [
      ...(byTsx ? ["--import", "tsx"] : []),
      ...keepFlags([...options, ...before], NODE_VALUES, NODE_SWITCH),
    ],
    runnerFlags: start < 0 ? [] : keepFlags(words.slice(start + 1), RUNNER_VALUES[runner]),
  };
}

function keepFlags(words: readonly string[], values: readonly string[], switches = /^$/): readonly string[] {
  return words.flatMap((word, index) => {
    const value = words[index + 1];
    if (values.includes(word) && value !== undefined) return [word, value];
    const joined = values.some((name) => name.startsWith("--") && word.startsWith(`${name}=`));
    return joined || switches.test(word) ? [word] : [];
  });
}

/**
 * Cuts a command line into words as a shell does: blanks part them, quotes hold them together.
 * Nothing is expanded. A quote that is never closed reaches to the end.
 */
export function commandWords(line: string): readonly string[] {
  const words: string[] = [];
  const pieces = /(\s+)|"((?:\\["\\$`]|[^"])*)"?|'([^']*)'?|\\([\s\S])|([^\s"'\\]+)/g;
  let word: string | undefined;
  for (const [, blank, double, single, escaped, plain] of line.matchAll(pieces)) {
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word = (word ?? "") + (double?.replace(/\\(["\\$`])/g, "$1") ?? single ?? escaped ?? plain ?? "");
  }
  return word === undefined ? words : [...words, word];
}
