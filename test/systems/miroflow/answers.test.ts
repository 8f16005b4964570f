import { expect, test } from "vitest";
import { anthropicProvider } from "../../../src/systems/miroflow/anthropic-provider.ts";
import { openAiProvider } from "../../../src/systems/miroflow/openai-provider.ts";
import { chatError, statusError } from "../../../src/client/errors.ts";
import { type Answer, ANTHROPIC, CHAT } from "../../support/provider-answers.ts";
import { standIn } from "./stand-in.ts";

const FAILURES: Readonly<Record<string, () => never>> = {
  "a timeout": () => {
    throw chatError("timeout", "slow");
  },
  "a cancellation": () => {
    throw chatError("cancelled", "left");
  },
  "a full context": () => {
    throw statusError(400, "The input is longer than the model's context length");
  },
  "a full context, by its words": () => {
    throw chatError("unknown", "Error code: 400 - longer than the model allows");
  },
  "a miss": () => {
    throw chatError("not-recorded", "none");
  },
  "a bad key": () => {
    throw statusError(401, "bad key");
  },
  "an overload": () => {
    throw statusError(503, "busy");
  },
};

const answering = (answers: Readonly<Record<string, Answer>>): Readonly<Record<string, () => unknown>> =>
  Object.fromEntries(
    Object.entries(answers).flatMap(([title, { whole }]) =>
      whole === undefined ? [] : [[title, () => structuredClone(whole)]],
    ),
  );

test("every answer and failure is taken, logged and counted as the page beside this test has it", async () => {
  const lines: string[] = [];
  for (const [name, provider, answers] of [
    ["openai", openAiProvider, CHAT],
    ["anthropic", anthropicProvider, ANTHROPIC],
  ] as const)
    for (const [title, give] of Object.entries({ ...answering(answers), ...FAILURES })) {
      const { client, sent, log, world } = await standIn(provider, give);
      const messageHistory = [{ role: "user", content: "hi" }];
      const took = async (): Promise<unknown> => {
        const { response } = await client.createMessage({ systemPrompt: "s", messageHistory });
        return client.processLlmResponse(response, [...messageHistory]);
      };
      const parsed = await took().catch(({ message }: Error) => ({ thrown: message }));
      lines.push(`# ${name}: ${title}`);
      lines.push(JSON.stringify({ parsed, usage: client.usage, sent: sent.length, slept: world.slept }));
      lines.push(...log.map((entry) => `  ${entry.join(" | ").slice(0, 300)}`), "");
    }

  // `vitest FILE -u` writes the page anew.
  await expect(lines.join("\n")).toMatchFileSnapshot("answers.txt");
});
