import { describe } from "vitest";
import { goldenFile, type GoldenFile } from "../../client/golden.ts";
import { runModelRow } from "./golden-model.ts";
import { comparable } from "./golden-text.ts";

const FILES: readonly (readonly [file: GoldenFile, title: string])[] = [
  [
    goldenFile("agentscope-openai"),
    "OpenAI: arguments, streams, whole answers, structured answers and their fallbacks [AS-11, AS-12, AS-15, AS-16, AS-17, AS-18, AS-19, AS-20, AS-21, AS-22, AS-23, AS-24, AS-D1, AS-D3]",
  ],
  [
    // The end of the stream is in the one last response, which another test covers [AS-D2].
    goldenFile("agentscope-anthropic"),
    "Anthropic: arguments, streams, whole answers and structured answers [AS-25, AS-26, AS-27, AS-28, AS-29, AS-30, AS-D9]",
  ],
  [
    goldenFile("agentscope-dashscope"),
    "DashScope: arguments, endpoints, streams, whole answers and structured answers [AS-31, AS-32, AS-33, AS-34, AS-35, AS-D4]",
  ],
  [
    goldenFile("agentscope-gemini"),
    "Gemini: schemas, streams, whole answers, signatures and structured answers [AS-36, AS-37, AS-38, AS-39, AS-40, AS-D5]",
  ],
  [
    goldenFile("agentscope-ollama"),
    "Ollama: arguments, streams, whole answers and structured answers [AS-41, AS-42, AS-43, AS-D6]",
  ],
  [
    goldenFile("agentscope-random"),
    "random answers of all five: structured ones, empty texts, log lines [AS-10, AS-12, AS-30, AS-34]",
  ],
];

describe("AgentScope's models match the original", () => {
  for (const [file, title] of FILES) {
    file.test(title, { run: runModelRow, reduce: comparable });
    file.done();
  }
});
