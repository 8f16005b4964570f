import { join } from "node:path";
import {
  APIStatusError,
  dumpTokenUsage,
  EchoChatProvider,
  message,
  parseEchoScript,
  ScriptedEchoChatProvider,
  type StreamedMessage,
} from "../../../src/systems/kosong/index.ts";
import { expect, test } from "vitest";
import { outcomeOf } from "../../client/bad-input/cells.ts";
import { goldenFile, type GoldenRow } from "../../client/golden.ts";
import { answersOf } from "../../support/page-of-answers.ts";
import { shownPart } from "./golden-parts.ts";

const golden = goldenFile("kosong-echo");
const named = (prefix: string) => (row: GoldenRow) => row.name.startsWith(prefix);

async function shownStream(stream: StreamedMessage): Promise<Record<string, unknown>> {
  const parts: unknown[] = [];
  for await (const part of stream) parts.push(shownPart(part));
  return { parts, id: stream.id, usage: stream.usage === null ? null : dumpTokenUsage(stream.usage) };
}

function errorOf(error: unknown): { error: Record<string, unknown> } {
  const { name: type, message: text } = error as Error;
  return {
    error: { type, message: text, ...(error instanceof APIStatusError && { status_code: error.statusCode }) },
  };
}

golden.test("the DSL reads as the original's [KO-41, KO-42, KO-43, KO-44, KO-45, KO-46, KO-D5]", {
  rows: named("dsl-"),
  run: ({ input }) => {
    const { parts, id, usage } = parseEchoScript(input.script);
    return { parts: parts.map(shownPart), id, usage: usage === null ? null : dumpTokenUsage(usage) };
  },
  errorOf,
});

golden.test("the echo answers with the content of the last message [KO-47]", {
  rows: named("echo-"),
  run: async ({ input, expected }) => {
    const provider = new EchoChatProvider();
    const history = (input.history as { role: "user"; content: string }[]).map(message);
    const shown = await shownStream(await provider.generate({ systemPrompt: "", tools: [], history }));
    return { ...shown, ...("name" in expected && { name: provider.name }) };
  },
  errorOf,
});

golden.test("the scripted queue answers turn by turn [KO-48]", {
  rows: named("scripted-"),
  run: async ({ input, expected }) => {
    let printed = "";
    const provider = new ScriptedEchoChatProvider(input.scripts, {
      trace: input.trace,
      print: (line) => (printed += `${line}\n`),
    });
    const turns: unknown[] = [];
    let fork: ScriptedEchoChatProvider | undefined;
    for (let turn = 0; turn < input.turns; turn += 1) {
      if (turn === input.with_thinking_before_turn) fork = provider.withThinking("high");
      turns.push(await provider.generate().then(shownStream).catch(withoutStatus));
    }
    const next = fork === undefined ? undefined : await shownStream(await fork.generate());
    return {
      turns,
      printed,
      name: provider.name,
      model_name: provider.modelName,
      ...("fork_next" in expected && { fork_next: next?.["parts"] }),
    };
  },
});

function withoutStatus(error: unknown): unknown {
  const { name: type, message: text } = error as Error;
  return { error: { type, message: text } };
}

golden.done();

test("the DSL reads and refuses as the original does, as the page beside this test has it [KO-42, KO-43, KO-44, KO-45, KO-46]", async () => {
  const page = join(import.meta.dirname, "echo-scripts.txt");
  const answers = await answersOf(page, (script) => outcomeOf(() => parseEchoScript(script)));

  await expect(answers).toMatchFileSnapshot(page);
});
