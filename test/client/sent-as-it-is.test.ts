import { expect, test } from "vitest";
import { anthropicProvider, openAiProvider } from "../../src/systems/miroflow/index.ts";
import { answering } from "../systems/agentscope/scripted-models.ts";
import { standIn } from "../systems/miroflow/stand-in.ts";

const NOTHING = [
  { role: "user", content: null },
  { role: "assistant", content: [] },
];
const answer = { choices: [{ message: { role: "assistant", content: "fine" }, finish_reason: "stop" }] };

test.each([
  ["OpenAI", openAiProvider, [{ role: "system", content: "Begin." }]],
  ["Anthropic", anthropicProvider, []],
])(
  "MiroFlow's %s client sends a system prompt without a history [MF-29, MF-38]",
  async (_, provider, messages) => {
    const { client, sent } = await standIn(provider, () => ({ ...answer, content: [], usage: null }));

    await client.createMessage({ systemPrompt: "Begin.", messageHistory: [] });

    expect(sent).toMatchObject([{ messages }]);
  },
);

test.each([
  ["openai", answer],
  ["anthropic", { content: [] }],
] as const)(
  "AgentScope's %s model sends messages whose content is null or an empty list, as the original does [AS-15]",
  async (provider, response) => {
    const { model, sent } = answering(provider, response);

    await model.call(NOTHING);

    expect(sent).toMatchObject([{ messages: NOTHING }]);
  },
);
