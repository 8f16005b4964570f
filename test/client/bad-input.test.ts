import { expect, test } from "vitest";
import { BAD_INPUTS, pageOf } from "./bad-input/cells.ts";
import { AGENTSCOPE, CORE } from "./bad-input/models.ts";
import { KOSONG, METAGPT, MIROFLOW, OPENMANUS } from "./bad-input/vocabularies.ts";

const TABLE = {
  ...CORE,
  MetaGPT: METAGPT,
  kosong: KOSONG,
  OpenManus: OPENMANUS,
  ...AGENTSCOPE,
  ...MIROFLOW,
};

test("bad input is refused with its place and its fault before anything is sent, or reported where it arises", async () => {
  const cells = Object.entries(TABLE).flatMap(([who, row]) =>
    BAD_INPUTS.map((bad) => [`${who}: ${bad}`, row[bad]] as const),
  );
  const impossible = cells.filter(([, cell]) => typeof cell === "string");

  // `vitest FILE -u` writes the page anew.
  await expect(await pageOf(cells)).toMatchFileSnapshot("bad-input.txt");
  expect(impossible.length).toBeLessThan(cells.length / 8);
});
