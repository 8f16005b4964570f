import { repairJson, repairObject } from "../../src/client/json/repair-json.ts";
import type { Differential } from "./system.ts";

export const jsonRepair: Differential<string> = {
  name: "JSON repair (MiroFlow, AgentScope)",
  results: "json_repair.ndjson",
  ours: (text) => ({ whole: orNothing(repairJson(text)), growing: repairObject(text).value }),
  documented: (_, { theirs }) =>
    JSON.stringify(theirs).includes('"endless"') ? "the original never comes to an end" : undefined,
};

/** A text that is null holds null: that is not nothing. */
function orNothing(value: unknown): unknown {
  return value === undefined ? "nothing" : value;
}
