import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

interface Schema {
  readonly definitions: Readonly<Record<string, unknown>>;
}

test("the schemas of scripts and faults agree with the one of the project's file", () => {
  const schema = (name: string): Schema =>
    JSON.parse(
      readFileSync(join(import.meta.dirname, `../../../schemas/${name}.schema.json`), "utf8"),
    ) as Schema;
  const { definitions } = schema("config");

  for (const name of ["script", "faults"])
    for (const [own, definition] of Object.entries(schema(name).definitions))
      expect(definitions[own]).toEqual(definition);
});
