import { createRequire } from "node:module";
import { dirname } from "node:path";
import type { FoundTest } from "../../src/test-discovery/found-test.ts";

/** The parser's package holds runtime and grammars side by side, as `dist/grammars` does. */
export const grammarsDir = dirname(createRequire(import.meta.url).resolve("@vscode/tree-sitter-wasm"));

/** Returns one line for each test, indented by nesting, with its lines, whether it is skipped, and the pattern of its title. */
export function outline(tests: readonly FoundTest[]): string {
  return tests.map(outlineOne).join("\n");
}

function outlineOne(test: FoundTest): string {
  const pattern = test.patterns.at(-1);
  return [
    `${"  ".repeat(test.path.length - 1)}${test.kind} ${JSON.stringify(test.title)} ${test.line}-${test.endLine}`,
    ...(test.isSkipped ? ["skip"] : []),
    ...(pattern ? [`/${pattern}/`] : []),
  ].join(" ");
}
