import type { SecretsPolicy } from "../../src/core/call/secrets-policy.ts";
import { messageReply } from "../support/corpus/anthropic.ts";
import { chatReply } from "../support/corpus/openai-chat.ts";
import { aVoice } from "../support/corpus/voice.ts";
import type { MadeReply } from "../support/corpus/wire.ts";
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
  const request = (text: string): string =>
    JSON.stringify(requestOf(provider, { place, text, number, isStream }));
  return {
    name: `${specimen.kind} in the ${place} of ${provider}, ${isStream ? "streamed" : "whole"}, ${policy}`,
    policy,
    secrets: [specimen.secret, other.secret],
    body: request(specimen.text),
    otherBody: request(other.text),
    reply: replyOf(random, provider, { place, text: specimen.text, number, isStream }),
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

function replyOf(random: Random, provider: string, { place, text, isStream }: Asking): string {
  const said = place === "reply" ? `It is ${text}.` : "Fine.";
  const input = { path: "/a", value: place === "reply's tool arguments" ? text : "é\n" };
  const most = 1 + Math.floor(random() * 12);
  const voice = aVoice(random() * 2 ** 31, (whole) => piecesOf(whole, most));
  if (provider === "anthropic") {
    const call = { type: "tool_use", id: "c", name: "look", input };
    return textOf(messageReply(voice, [{ type: "text", text: said }, call], isStream));
  }
  const calls = [{ id: "c", name: "look", text: JSON.stringify(input) }];
  const where = { provider, base: "/v1", voice, most: 1 };
  return textOf(chatReply(where, { text: said, calls, reason: "tool_calls" }, isStream));
}

/** Cut anywhere, between the halves of a surrogate pair excepted. */
export function piecesOf(text: string, most: number): readonly string[] {
  return text.match(new RegExp(`.{1,${most}}`, "gsu")) ?? [];
}

const textOf = ({ body }: MadeReply): string => Buffer.from(body).toString();
