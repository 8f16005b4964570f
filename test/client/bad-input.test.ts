import { describe, expect, test } from "vitest";
import { BAD_INPUTS, failureOf, type Cell, type Row } from "./bad-input/cells.ts";
import { AGENTSCOPE, CORE } from "./bad-input/models.ts";
import { KOSONG, METAGPT, MIROFLOW, OPENMANUS } from "./bad-input/vocabularies.ts";

const TABLE: Readonly<Record<string, Row>> = {
  ...CORE,
  MetaGPT: METAGPT,
  kosong: KOSONG,
  OpenManus: OPENMANUS,
  ...AGENTSCOPE,
  ...MIROFLOW,
};

const cells = Object.entries(TABLE).flatMap(([who, row]) =>
  BAD_INPUTS.map((bad) => [who, bad, row[bad]] as const),
);
const possible = cells.flatMap(([who, bad, cell]) =>
  typeof cell === "string" ? [] : [[who, bad, cell] as const],
);

describe("bad input is refused with its place and its fault before anything is sent, or reported where it arises", () => {
  test.each(possible)("%s: %s", async (_who, _bad, cell) => {
    expect(await outcomeOf(cell)).toEqual({
      ...("ask" in cell && { kind: cell.kind ?? "validation" }),
      ...("where" in cell && { where: cell.where }),
      message: expect.stringMatching(cell.says) as string,
    });
  });
});

test("the table has the reason for each input that a vocabulary cannot receive", () => {
  const impossible = cells.filter(([, , cell]) => typeof cell === "string");

  for (const [who, bad, why] of impossible) console.log(`▸ ${who}: ${bad}: ${String(why)}`);
  console.log(
    `▸ bad input: ${possible.length} of ${cells.length} cells are answered, ${impossible.length} cannot be asked`,
  );

  expect(impossible.length).toBeLessThan(cells.length / 8);
});

async function outcomeOf(cell: Exclude<Cell, string>): Promise<unknown> {
  if ("tells" in cell) return { message: JSON.stringify(await cell.tells()) };
  const { where, ...failure } = await failureOf(cell.ask);
  return { ...failure, ...(cell.where !== undefined && { where }) };
}
