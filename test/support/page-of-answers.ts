import { readFileSync } from "node:fs";
import { expect } from "vitest";

/**
 * Returns a page with new answers below its inputs, which are its lines without an indent. Compare it with the page by
 * `toMatchFileSnapshot`: `vitest FILE -u` writes the answers.
 */
export async function answersOf(page: string, answer: (input: string) => unknown): Promise<string> {
  const inputs = readFileSync(page, "utf8")
    .split("\n")
    .slice(0, -1)
    .filter((line) => !line.startsWith("  "));
  expect(inputs.length).toBeGreaterThan(10);
  const lines: string[] = [];
  for (const input of inputs)
    lines.push(
      input,
      ...String(await answer(input))
        .replaceAll(/^/gm, "  ")
        .split("\n"),
    );
  return `${lines.join("\n")}\n`;
}
