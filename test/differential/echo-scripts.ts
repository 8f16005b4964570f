import { APIStatusError, dumpTokenUsage, parseEchoScript } from "../../src/systems/kosong/index.ts";
import type { Differential } from "./system.ts";

export const echoScripts: Differential<string> = {
  name: "Echo scripts (kosong)",
  results: "kosong.ndjson",
  documented(_, { theirs }) {
    const { type } = (theirs as { error?: { type: string } }).error ?? {};
    return type === "ValidationError" || type === "OverflowError"
      ? `a foreign ${type} is a ChatProviderError [KO-D5]`
      : undefined;
  },
  ours(script) {
    try {
      const { parts, id, usage } = parseEchoScript(script);
      return { parts, id, usage: usage === null ? null : dumpTokenUsage(usage) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const status = error instanceof APIStatusError ? { status_code: error.statusCode } : {};
      return { error: { type: error.name, message: error.message, ...status } };
    }
  },
};
