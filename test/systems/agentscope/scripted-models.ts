import {
  AnthropicChatModel,
  DashScopeChatModel,
  GeminiChatModel,
  OllamaChatModel,
  OpenAIChatModel,
  isStreamed,
  type ChatModelBase,
  type ChatResponse,
  type ModelAnswer,
} from "../../../src/systems/agentscope/index.ts";
import { seededSurroundings } from "../../../src/client/surroundings.ts";
import { scriptedTransport, type Script } from "./scripted-transport.ts";

const CLASSES = {
  openai: OpenAIChatModel,
  anthropic: AnthropicChatModel,
  dashscope: DashScopeChatModel,
  gemini: GeminiChatModel,
  ollama: OllamaChatModel,
};

export type Provider = keyof typeof CLASSES;

export const PROVIDERS = Object.keys(CLASSES) as readonly Provider[];

/** A provider's model, which is called "m" unless the options have another name. */
export function modelOf<P extends Provider>(provider: P, options: object): InstanceType<(typeof CLASSES)[P]> {
  const Model = CLASSES[provider] as new (given: object) => ChatModelBase;
  return new Model({ modelName: "m", ...options }) as InstanceType<(typeof CLASSES)[P]>;
}

/** A model whose SDK plays a script, with all that the SDK was asked and all that was logged. */
export function scripted<P extends Provider>(provider: P, script: Script, options: object = {}) {
  const sent: Record<string, unknown>[] = [];
  const surroundings = seededSurroundings(1);
  const transport = scriptedTransport(script, sent)[provider];
  const model = modelOf(provider, { transport, surroundings, ...options });
  return { model, sent, logged: () => surroundings.logged.map(({ message }) => message) };
}

/** A model whose SDK gives this one answer whole. */
export const answering = <P extends Provider>(provider: P, response: object, options: object = {}) =>
  scripted(provider, [{ response }], { stream: false, ...options });

/** All responses of an answer, streamed or not. */
export async function responsesOf(answer: ModelAnswer): Promise<ChatResponse[]> {
  if (!isStreamed(answer)) return [answer];
  const responses: ChatResponse[] = [];
  for await (const response of answer) responses.push(response);
  return responses;
}
