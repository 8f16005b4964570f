import { composeEvents, composeJson, splitDraft, composeUsage } from "../../base/composed.ts";
import type { ComposedReply, ReplyDraft, ToolCallDraft } from "../../base/protocol.ts";

/** The members of a request that its reply repeats. */
export interface EchoedRequest {
  readonly model?: string | undefined;
  readonly stream?: boolean;
  readonly background?: boolean;
  /** ID of an existing response. */
  readonly id?: string;
  readonly isCancelled?: true;
}

type Event = readonly [type: string, rest: object];

interface Item {
  readonly whole: object;
  readonly events: (output_index: number) => readonly Event[];
}

/**
 * Composes a response with the draft's text and tool calls, or a stream with an event per piece. A response in the
 * background is queued at first, and completed when it is retrieved.
 */
export function composeResponse(draft: ReplyDraft, request: EchoedRequest): ComposedReply {
  const { text, toolCalls = [] } = draft;
  const isQueued = request.background === true && request.id === undefined && request.stream !== true;
  if (isQueued || request.isCancelled === true) {
    const status = isQueued ? "queued" : "cancelled";
    return composeJson(responseOf(draft, request, { status, reason: null, output: [] }));
  }
  const calls = toolCalls.map(callItem);
  const items = text === "" && calls.length > 0 ? calls : [messageItem(draft), ...calls];
  const output = items.map(({ whole }) => whole);
  const [last, reason] = END[draft.finish ?? "stop"];
  const done = responseOf(draft, request, { status: last, reason, output });
  if (request.stream !== true) return composeJson(done);

  const begun = responseOf(draft, request, { status: "in_progress", reason: null, output: [] });
  const events: readonly Event[] = [
    ["response.created", { response: begun }],
    ["response.in_progress", { response: begun }],
    ...items.flatMap(({ events: own }, index) => own(index)),
    [`response.${last}`, { response: done }],
  ];
  return composeEvents(events.map(([type, rest], index) => ({ type, sequence_number: index, ...rest })));
}

/** Final status of a response, and the reason if it is incomplete. */
const END = {
  stop: ["completed", null],
  length: ["incomplete", "max_output_tokens"],
  "content-filter": ["incomplete", "content_filter"],
} as const;

function responseOf(
  draft: ReplyDraft,
  request: EchoedRequest,
  {
    status,
    reason,
    output,
  }: { readonly status: string; readonly reason: string | null; readonly output: readonly object[] },
): object {
  return {
    id: request.id ?? "resp_tapedeck",
    object: "response",
    created_at: 0,
    status,
    background: request.background === true,
    error: null,
    incomplete_details: reason === null ? null : { reason },
    instructions: null,
    metadata: {},
    model: request.model ?? "",
    output,
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
    usage: output.length === 0 ? null : usageOf(draft),
  };
}

function usageOf(draft: ReplyDraft): object {
  const { input, output } = composeUsage(draft);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

function messageItem(draft: ReplyDraft): Item {
  const { text } = draft;
  const id = "msg_tapedeck";
  const message = (status: string, content: readonly object[]): object => ({
    id,
    type: "message",
    status,
    role: "assistant",
    content,
  });
  const textPart = (content: string): object => ({ type: "output_text", text: content, annotations: [] });
  const whole = message("completed", [textPart(text)]);
  return {
    whole,
    events: (output_index) => {
      const item = { output_index };
      const part = { ...item, item_id: id, content_index: 0 };
      return [
        ["response.output_item.added", { ...item, item: message("in_progress", []) }],
        ["response.content_part.added", { ...part, part: textPart("") }],
        ...splitDraft(draft).map(
          (delta) => ["response.output_text.delta", { ...part, delta, logprobs: [] }] as const,
        ),
        ["response.output_text.done", { ...part, text, logprobs: [] }],
        ["response.content_part.done", { ...part, part: textPart(text) }],
        ["response.output_item.done", { ...item, item: whole }],
      ];
    },
  };
}

function callItem({ id: call_id, name, arguments: args }: ToolCallDraft): Item {
  const id = `fc_${call_id}`;
  const call = (status: string, text: string): object => ({
    id,
    type: "function_call",
    status,
    call_id,
    name,
    arguments: text,
  });
  const whole = call("completed", args);
  return {
    whole,
    events: (output_index) => {
      const of = { output_index, item_id: id };
      return [
        ["response.output_item.added", { output_index, item: call("in_progress", "") }],
        ["response.function_call_arguments.delta", { ...of, delta: args }],
        ["response.function_call_arguments.done", { ...of, arguments: args }],
        ["response.output_item.done", { output_index, item: whole }],
      ];
    },
  };
}
