// @ts-nocheck -- the replies of three SDKs have no type in common
// A program that continues earlier calls by ids, with the official SDKs. The first argument is a file with its steps; it prints
// the text that each step got.
import { readFileSync } from "node:fs";

// A step has a kind, a text, and the positions of the steps whose ids it uses.
const steps = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));

const clients = {
  openai: async () => new (await import("openai")).default({ maxRetries: 0 }),
  anthropic: async () => new (await import("@anthropic-ai/sdk")).default({ maxRetries: 0 }),
  gemini: async () => new (await import("@google/genai")).GoogleGenAI({}),
};
const made = new Map();
const client = async (name) => {
  if (!made.has(name)) made.set(name, await clients[name]());
  return made.get(name);
};

const model = "gpt-5-mini";
const bytes = (text) => new File([text], "a.txt", { type: "text/plain" });

/** Each kind of step returns the id for later steps, and the text that came back. */
const KINDS = {
  async response({ text }, uses) {
    const openai = await client("openai");
    const of = (kind) => uses.find((one) => one.kind === kind)?.id;
    const files = [of("file"), of("upload"), of("batch")].filter(Boolean);
    const tools = [
      ...(of("store") ? [{ type: "file_search", vector_store_ids: [of("store")] }] : []),
      ...(of("container") ? [{ type: "code_interpreter", container: of("container") }] : []),
    ];
    const reply = await openai.responses.create({
      model,
      input:
        files.length === 0
          ? text
          : [
              {
                role: "user",
                content: [
                  ...files.map((file_id) => ({ type: "input_file", file_id })),
                  { type: "input_text", text },
                ],
              },
            ],
      ...(of("response") && { previous_response_id: of("response") }),
      ...(of("conversation") && { conversation: of("conversation") }),
      ...(tools.length > 0 && { tools }),
    });
    return { id: reply.id, said: reply.output_text };
  },
  async conversation({ text }) {
    const { id } = await (await client("openai")).conversations.create({ metadata: { topic: text } });
    return { id };
  },
  async file({ text }) {
    const { id } = await (await client("openai")).files.create({ purpose: "batch", file: bytes(text) });
    return { id };
  },
  async store({ text }, [file]) {
    const openai = await client("openai");
    return openai.vectorStores.create({ name: text, file_ids: [file.id] });
  },
  async container({ text }) {
    const { id } = await (await client("openai")).containers.create({ name: text });
    return { id };
  },
  async upload({ text }) {
    const { uploads } = await client("openai");
    const about = { filename: "a.txt", mime_type: "text/plain", purpose: "user_data", bytes: text.length };
    const { id } = await uploads.create(about);
    const part = await uploads.parts.create(id, { data: bytes(text) });
    const done = await uploads.complete(id, { part_ids: [part.id] });
    return { id: done.file.id };
  },
  async batch({ text }, [file]) {
    const openai = await client("openai");
    let batch = await openai.batches.create({
      input_file_id: file.id,
      endpoint: "/v1/responses",
      completion_window: "24h",
      metadata: { name: text },
    });
    while (batch.status !== "completed") batch = await openai.batches.retrieve(batch.id);
    const content = await openai.files.content(batch.output_file_id);
    return { id: batch.output_file_id, said: await content.text() };
  },
  async thread({ text }) {
    return (await client("openai")).beta.threads.create({ metadata: { topic: text } });
  },
  async run({ text }, [thread]) {
    const { threads } = (await client("openai")).beta;
    let run = await threads.runs.create(thread.id, { assistant_id: "asst_1", additional_instructions: text });
    while (run.status !== "completed") run = await threads.runs.retrieve(run.id, { thread_id: thread.id });
    const { data } = await threads.messages.list(thread.id);
    return { id: thread.id, said: data[0].content[0].text.value };
  },
  async message({ text }, [before]) {
    const anthropic = await client("anthropic");
    const reply = await anthropic.beta.messages.create({
      model: "claude-sonnet-5",
      max_tokens: 64,
      betas: ["code-execution-2025-08-25"],
      messages: [{ role: "user", content: text }],
      ...(before && { container: before.id }),
    });
    return { id: reply.container.id, said: reply.content[0].text };
  },
  async session({ text }) {
    const { sessions } = (await client("anthropic")).beta;
    return sessions.create({ agent: "agent_1", environment_id: "env_1", title: text });
  },
  async event({ text }, [session]) {
    const { events } = (await client("anthropic")).beta.sessions;
    await events.send(session.id, {
      events: [{ type: "user.message", content: [{ type: "text", text }] }],
    });
    const { data } = await events.list(session.id);
    return { id: session.id, said: data[0].content[0].text };
  },
  async interaction({ text }, [before]) {
    const gemini = await client("gemini");
    const reply = await gemini.interactions.create({
      model: "gemini-3-flash-preview",
      input: text,
      ...(before && { previous_interaction_id: before.id }),
    });
    return { id: reply.id, said: reply.steps.at(-1).content[0].text };
  },
  async cache({ text }) {
    const gemini = await client("gemini");
    const { name } = await gemini.caches.create({
      model: "gemini-3-flash",
      config: { systemInstruction: text },
    });
    return { id: name };
  },
  async generate({ text }, [cache]) {
    const gemini = await client("gemini");
    const reply = await gemini.models.generateContent({
      model: "gemini-3-flash",
      contents: text,
      config: { cachedContent: cache.id },
    });
    return { id: reply.responseId, said: reply.text };
  },
};

const results = [];
for (const step of steps) {
  const uses = step.uses.map((at) => ({ ...results[at], kind: steps[at].kind }));
  const { id, said } = await KINDS[step.kind](step, uses);
  results.push({ id, said });
}
console.log(JSON.stringify(results.map(({ said }) => said ?? null)));
