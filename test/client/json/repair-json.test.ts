import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { repairObject, repairGrowingObject } from "../../../src/client/json/repair-json.ts";
const rows = JSON.parse(readFileSync("/work/shared/data/golden/agentscope-shared.json","utf8")).rows;
for (const r of rows) {
  if (r.name.startsWith("repair")) test(r.name, () => expect(repairObject(r.input.text).value).toEqual(r.expected));
  if (r.name.startsWith("streaming-dict")) test(r.name, () => expect(repairGrowingObject(r.input.text, r.input.last ?? undefined)).toEqual(r.expected));
}
