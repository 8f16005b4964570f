// Writes a folder of many recordings as Tapedeck does, but without waiting for the disk.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const WORDS = (
  "order ticket invoice warehouse refund parcel courier address customer delay stock colour size winter garden " +
  "engine river cloud signal copper market amber violet stone recipe lemon salt oven dough butter flight gate " +
  "luggage visa museum bridge tower harbour island temple castle paper ink letter novel author chapter verse rhyme"
).split(" ");
const MODELS = ["gpt-4o-mini", "gpt-4o", "gpt-4.1", "o3"];

/** Returns pseudo-random numbers from 0 to 2^32, the same in each run. */
function chance(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function sentence(pick, length) {
  const words = Array.from({ length }, () => WORDS[pick(WORDS.length)]);
  return `${words.join(" ")} ${pick(9_000) + 1_000}.`;
}

/** A chat request of one of forty agents: a long system prompt, tools, and one to seven turns. */
export function manyRequest(index) {
  const agent = chance(index % 40);
  const pick = chance(1_000 + index);
  const system = Array.from({ length: 12 }, () => sentence(agent, 14)).join(" ");
  const messages = [{ role: "system", content: system }];
  for (let turn = 0; turn < index % 4; turn += 1) {
    messages.push({ role: "user", content: sentence(pick, 10) });
    messages.push({ role: "assistant", content: sentence(pick, 20) });
  }
  messages.push({ role: "user", content: sentence(pick, 16) });
  const tools = Array.from({ length: index % 3 }, (_, nth) => ({
    type: "function",
    function: {
      name: `${WORDS[agent(WORDS.length)]}_${nth}`,
      description: sentence(agent, 8),
      parameters: { type: "object", properties: { id: { type: "string", description: sentence(agent, 4) } } },
    },
  }));
  return {
    model: MODELS[(index % 40) % MODELS.length],
    messages,
    temperature: 0.2,
    ...(tools.length > 0 && { tools }),
  };
}

/** The canonical form of docs/key.md, as far as these requests need it. */
function keyOf(body) {
  const head = ["tapedeck-v1", "openai", "chat.completions", "POST", "/v1/chat/completions", "", "json"];
  return createHash("sha256")
    .update(`${JSON.stringify(head)}\n${canonical(body)}`)
    .digest("hex");
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(",")}}`;
}

/** Writes `count` recordings into the cassette folder `dir`. `replyOf` can replace the default reply. */
export function writeMany(dir, count, replyOf = plainReply) {
  for (let index = 0; index < count; index += 1) {
    const pick = chance(5_000 + index);
    const body = manyRequest(index);
    const digest = keyOf(body);
    const folder = join(dir, "calls/openai", digest.slice(0, 2));
    mkdirSync(folder, { recursive: true });
    const choice = {
      index: 0,
      message: { role: "assistant", content: `Reply ${index}.` },
      finish_reason: "stop",
    };
    const reply = {
      id: `chatcmpl-${index}`,
      object: "chat.completion",
      created: 1_767_322_800,
      model: body.model,
      choices: [choice],
    };
    const { events = [], ...written } = replyOf(index, reply, () => sentence(pick, 14));
    const recording = {
      format: 1,
      provider: "openai",
      operation: "chat.completions",
      model: body.model,
      key: `sha256:${digest}`,
      recordedAt: "2026-11-21T09:00:00.000Z",
      request: { method: "POST", path: "/v1/chat/completions", body },
      reply: events.length === 0 ? written : { ...written, events: [] },
    };
    // An event is one line.
    const lines = events.map((event) => `\n      ${JSON.stringify(event)}`).join(",");
    const text = JSON.stringify(recording, null, 2).replace(
      '"events": []',
      () => `"events": [${lines}\n    ]`,
    );
    writeFileSync(join(folder, `${digest}.json`), `${text}\n`);
  }
}

function plainReply(_index, reply) {
  return { status: 200, contentType: "application/json", body: reply };
}
