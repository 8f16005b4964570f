import { dumpMessage, extractText, generate, MockChatProvider } from "../../../src/systems/kosong/index.ts";
import { goldenFile } from "../../client/golden.ts";
import { classOf, partFrom, shownPart, type Shorthand } from "./golden-parts.ts";

const golden = goldenFile("kosong-generate");
const prompt = { systemPrompt: "", tools: [], history: [] };

golden.test(
  "an answer is put together as the original does [KO-24, KO-25, KO-26, KO-27, KO-28, KO-29, KO-30, KO-31, KO-32]",
  {
    run: async ({ input }) => {
      const provider = new MockChatProvider((input as Shorthand[]).map(partFrom));
      const order: string[] = [];
      const [parts, calls, traces]: unknown[][] = [[], [], []];

      const { id, usage, traceId, message } = await generate(provider, prompt, {
        onMessagePart: (part) => {
          order.push(`part:${classOf(part)}`);
          parts?.push(shownPart(part));
        },
        onToolCall: (call) => {
          order.push(`call:${call.id}`);
          calls?.push(shownPart(call));
        },
        onTraceId: (trace) => void traces?.push(trace),
      });

      return {
        id,
        usage,
        trace_id: traceId,
        message: dumpMessage(message, { nulls: true }),
        content: message.content.map(shownPart),
        tool_calls: message.toolCalls?.map(shownPart) ?? null,
        on_message_part: parts,
        on_tool_call: calls,
        order,
        on_trace_id: traces,
        extract_text: extractText(message),
      };
    },
  },
);

golden.done();
