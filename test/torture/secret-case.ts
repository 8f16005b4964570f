import type { SecretsPolicy } from "../../src/core/call/secrets-policy.ts";
import { specimens, type Specimen } from "../support/secret-corpus.ts";
import { pick, type Random } from "../support/seeded.ts";

/** A call with a secret somewhere in it. */
export interface SecretCase {
  /** The kind and place of the secret, without the secret. */
  readonly name: string;
  readonly policy: SecretsPolicy;
  readonly secrets: readonly string[];
  readonly body: string;
  /** The same request with another secret of the kind. */
  readonly otherBody: string;
  readonly reply: string;
}

const PLACES = ["prompt", "tool arguments", "tool result", "reply", "reply's tool arguments"] as const;

export function aSecretCase(random: Random, number: number): SecretCase {
  const { specimen, other } = aPair(random);
  const place = pick(random, PLACES);
  const policy = pick(random, ["redact", "redact", "drop", "fail"] as const);
  const provider = pick(random, ["openai", "anthropic"] as const);
  const isStream = random() < 0.6;
  const request = (value: string): string =>
    JSON.stringify(requestOf(provider, { place, text: value, number, isStream }));
  const text = inReply(place, specimen.text);
  return {
    name: `${specimen.kind} in the ${place} of ${provider}, ${isStream ? "streamed" : "whole"}, ${policy}`,
    policy,
    secrets: [specimen.secret, other.secret],
    body: request(specimen.text),
    otherBody: request(other.text),
    reply:
      provider === "openai" ? openaiReply(random, text, isStream) : anthropicReply(random, text, isStream),
  };
}

/** Two secrets that are met in the same way. */
function aPair(random: Random): { readonly specimen: Specimen; readonly other: Specimen } {
  const [these, those] = [specimens(random() * 2 ** 31), specimens(random() * 2 ** 31)];
  const at = Math.floor(random() * these.length);
  const [specimen, other] = [these[at], those[at]];
  if (specimen === undefined || other === undefined) throw new Error("there is no such specimen");
  return { specimen, other };
}

interface Asking {
  readonly place: (typeof PLACES)[number];
  readonly text: string;
  readonly number: number;
  readonly isStream: boolean;
}

function requestOf(provider: string, { place, text, number, isStream }: Asking): unknown {
  const prompt = place === "prompt" ? `Use ${text} for it.` : "Go on.";
  const result = place === "tool result" ? `found:\n${text}\n` : "nothing";
  const tool = { note: place === "tool arguments" ? text : "none", n: number };
  const stream = isStream ? { stream: true } : {};
  if (provider === "anthropic")
    return {
      model: "m",
      max_tokens: 5,
      ...stream,
      messages: [
        { role: "user", content: `${prompt} (${number})` },
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "look", input: tool }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: result }] },
      ],
    };
  const call = { id: "t", type: "function", function: { name: "look", arguments: JSON.stringify(tool) } };
  return {
    model: "m",
    ...stream,
    messages: [
      { role: "user", content: `${prompt} (${number})` },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "t", content: result },
    ],
  };
}

interface Saying {
  readonly content: string;
  readonly args: string;
}

function inReply(place: string, text: string): Saying {
  return {
    content: place === "reply" ? `It is ${text}.` : "Fine.",
    args: JSON.stringify({ path: "/a", value: place === "reply's tool arguments" ? text : "é\n" }),
  };
}

/** Cut anywhere, between the halves of a surrogate pair excepted. */
function pieces(random: Random, text: string): readonly string[] {
  const most = 1 + Math.floor(random() * 12);
  return text.match(new RegExp(`.{1,${most}}`, "gsu")) ?? [];
}

function openaiReply(random: Random, { content, args }: Saying, isStream: boolean): string {
  const head = { id: "x", object: "chat.completion", model: "m" };
  const call = { id: "c", type: "function", function: { name: "look", arguments: args } };
  if (!isStream) {
    const message = { role: "assistant", content, tool_calls: [call] };
    return JSON.stringify({ ...head, choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
  }
  const chunk = (delta: unknown, finish: string | null = null): string =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  return [
    ...pieces(random, content).map((piece) => chunk({ content: piece })),
    chunk({ tool_calls: [{ index: 0, ...call, function: { name: "look", arguments: "" } }] }),
    ...pieces(random, args).map((piece) =>
      chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
    ),
    chunk({}, "tool_calls"),
    "data: [DONE]\n\n",
  ].join("");
}

function anthropicReply(random: Random, { content, args }: Saying, isStream: boolean): string {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "x", type: "message", role: "assistant", model: "m", usage };
  const tool = { type: "tool_use", id: "c", name: "look" };
  if (!isStream) {
    const blocks = [
      { type: "text", text: content },
      { ...tool, input: JSON.parse(args) as unknown },
    ];
    return JSON.stringify({ ...message, content: blocks, stop_reason: "tool_use", stop_sequence: null });
  }
  const event = (type: string, rest: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
  const delta = (index: number, one: object): string => event("content_block_delta", { index, delta: one });
  return [
    event("message_start", { message: { ...message, content: [], stop_reason: null } }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ...pieces(random, content).map((text) => delta(0, { type: "text_delta", text })),
    event("content_block_stop", { index: 0 }),
    event("content_block_start", { index: 1, content_block: { ...tool, input: {} } }),
    ...pieces(random, args).map((json) => delta(1, { type: "input_json_delta", partial_json: json })),
    event("content_block_stop", { index: 1 }),
    event("message_delta", { delta: { stop_reason: "tool_use" }, usage }),
    event("message_stop", {}),
  ].join("");
}
