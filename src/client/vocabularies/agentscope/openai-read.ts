import {
  countIn,
  fieldsOf,
  isFields,
  listOf,
  textIn,
  type Fields,
} from "../../../core/protocol/reading/lenient.ts";
import {
  audioBlock,
  calledOf,
  firstInput,
  wholeInput,
  type AnswerSoFar,
  type Counts,
  type ProviderReader,
  type Reading,
} from "./reading.ts";
import type { Block } from "./response.ts";

/** Reads chat completions. */
export const openaiReader: ProviderReader = {
  stream: () => ({
    take(state, chunk) {
      state.id = textIn(chunk["id"]) ?? state.id;
      state.usage = usageOf(chunk["usage"]) ?? state.usage;
      const [choice] = listOf(chunk["choices"]);
      if (choice !== undefined) takeDelta(state, fieldsOf(fieldsOf(choice)["delta"]));
      return choice !== undefined || state.usage !== undefined;
    },
  }),
  whole(completion, reading) {
    const [choice] = listOf(completion["choices"]);
    const content = contentOf(fieldsOf(fieldsOf(choice)["message"]), reading);
    const usage = usageOf(completion["usage"]);
    return { content, id: textIn(completion["id"]), usage, metadata: firstInput(content, reading) };
  },
};

function contentOf(message: Fields, { log }: Reading): Block[] {
  const thinking = thinkingIn(message);
  const text = textIn(message["content"]);
  const audio = message["audio"];
  const calls = listOf(message["tool_calls"]).map(calledOf);
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking" as const, thinking }]),
    ...textBlock(text),
    ...(isFields(audio)
      ? [audioBlock(textIn(audio["data"]) ?? "", "audio/mp3"), ...textBlock(textIn(audio["transcript"]))]
      : []),
    ...calls.map(({ id = "", name = "", text: args = "" }): Block => {
      return { type: "tool_use", id, name, input: wholeInput(args, log) };
    }),
  ];
}

function textBlock(text: string | undefined): Block[] {
  return text === undefined ? [] : [{ type: "text", text }];
}

function takeDelta(state: AnswerSoFar, delta: Fields): void {
  state.thinking += thinkingIn(delta) ?? "";
  state.text += textIn(delta["content"]) ?? "";
  const audio = fieldsOf(delta["audio"]);
  state.audio += textIn(audio["data"]) ?? "";
  state.text += textIn(audio["transcript"]) ?? "";
  for (const piece of listOf(delta["tool_calls"])) {
    const { index } = fieldsOf(piece);
    const { id = "", name = "", text = "" } = calledOf(piece);
    const slot = state.slots.get(index);
    if (slot !== undefined) slot.raw = (slot.raw ?? "") + text;
    else state.slots.set(index, { id, name, raw: text, input: {} });
  }
}

/** `reasoning_content` where it is a text, also an empty one; else `reasoning`. */
function thinkingIn(fields: Fields): string | undefined {
  return [fields["reasoning_content"], fields["reasoning"]].find((one) => typeof one === "string");
}

function usageOf(usage: unknown): Counts | undefined {
  if (!isFields(usage)) return undefined;
  const input = countIn(usage["prompt_tokens"]) ?? 0;
  return { input, output: countIn(usage["completion_tokens"]) ?? 0, raw: usage };
}
