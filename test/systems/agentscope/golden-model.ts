import { readOutcome } from "./golden-text.ts";
import { MODELS, camel, type CallOutcome } from "./golden-words.ts";
import { modelOf, type Provider } from "./scripted-models.ts";
import { scriptedTransport, type Script } from "./scripted-transport.ts";
import { seededSurroundings, type LogEntry } from "../../../src/client/surroundings.ts";
import { isStreamed, type ChatModelBase, type ModelAnswer } from "../../../src/systems/agentscope/index.ts";
import type { GoldenRow } from "../../client/golden.ts";

/** Everything that a row looks at, from our model with a scripted SDK behind it. */
export async function runModelRow(row: GoldenRow): Promise<unknown> {
  const { provider, init, call, script } = row.input as ModelRowInput;
  const surroundings = seededSurroundings(7, Date.UTC(2026, 0, 2));
  const sent: unknown[] = [];
  const transport = scriptedTransport(script, sent);
  const seen: CallOutcome = { responses: [] };
  let model: ChatModelBase | undefined;
  try {
    const options = { ...withCamelNames(init), transport: transport[provider], surroundings };
    model = modelOf(provider, { ...(provider === "dashscope" && { apiKey: "k" }), ...options });
    await ask(model, call, seen);
  } catch (error) {
    seen.error = error;
  }
  return readOutcome({
    seen,
    model,
    sent,
    structured: call["structured_model"] as string | undefined,
    warnings: surroundings.logged
      .filter(isDeprecation)
      .map(({ message }) => `DeprecationWarning: ${message}`),
    log: surroundings.logged
      .filter((entry) => !isDeprecation(entry))
      .map(({ level, message }) => [level, message]),
  });
}

interface ModelRowInput {
  readonly provider: Provider;
  readonly init: Record<string, unknown>;
  readonly call: Record<string, unknown>;
  readonly script: Script;
}

async function ask(model: ChatModelBase, given: Record<string, unknown>, seen: CallOutcome): Promise<void> {
  const {
    messages = [{ role: "user", content: "hi" }],
    tools,
    tool_choice,
    structured_model,
    ...kwargs
  } = given;
  const before = JSON.stringify(given);
  const answer: ModelAnswer = await model.call(messages, {
    ...(tools !== undefined && { tools: tools as unknown[] }),
    ...(tool_choice !== undefined && { toolChoice: tool_choice }),
    ...(structured_model !== undefined && { structuredModel: MODELS[structured_model as string]! }),
    generateKwargs: kwargs,
  });
  if (JSON.stringify(given) !== before) throw new Error("the call changed what it was given");
  seen.streaming = isStreamed(answer);
  if (!isStreamed(answer)) seen.responses.push(answer);
  else for await (const response of answer) seen.responses.push(response);
}

/** Options have our spelling; what is in them is the provider's. Gemini's settings are spelt as its SDK does here. */
function withCamelNames(init: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(init).map(([name, value]) => [
      name === "unknown_thing" ? name : camel(name),
      name === "thinking_config" ? withCamelNames(value as Record<string, unknown>) : value,
    ]),
  );
}

const isDeprecation = ({ step }: LogEntry): boolean => step === "DeprecationWarning";
