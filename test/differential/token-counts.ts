import { loadEncoding } from "../../src/systems/openmanus/index.ts";
import { pick, seeded } from "../support/seeded.ts";
import type { Differential } from "./system.ts";

const COUNTERS = (["o200k_base", "cl100k_base", "p50k_base", "r50k_base", "p50k_edit"] as const).map(
  loadEncoding,
);

export const tokenCounts: Differential<string> = {
  name: "Token counts (OpenManus)",
  results: "tiktoken.ndjson",
  caseOf(seed) {
    const random = seeded(seed);
    return Array.from({ length: Math.floor(random() * 30) }, () => pick(random, PIECES)).join("");
  },
  ours: async (text) => (await Promise.all(COUNTERS)).map((count) => count(text)),
};

const PIECES: readonly [string, ...string[]] = [
  "hello",
  " world",
  "Don't",
  "'S",
  "'ſ",
  "'LL",
  "12345",
  "½٣",
  "文件",
  "Ǆž",
  "é",
  "e\u0301",
  "😀",
  "👩‍👩‍👧",
  "\ud83d",
  " ",
  "   ",
  "\t",
  "\n",
  "\r\n\n",
  "\u0085",
  "\ufeff",
  "\u00a0",
  "\u2028",
  "\u200b",
  "\u3000",
  "\x1c",
  "\0",
  "/",
  "//\n",
  "_a",
  "{}();",
  "<|endoftext|>",
  "K",
];
