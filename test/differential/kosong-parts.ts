import {
  callableTool,
  dereference,
  dumpMessage,
  ensurePropertyTypes,
  extractText,
  generate,
  message,
  MockChatProvider,
  simpleToolset,
  toolCall,
  toolOk,
  type ContentPart,
  type ToolCall,
} from "../../src/systems/kosong/index.ts";
import { partFrom, type Shorthand } from "../systems/kosong/golden-parts.ts";
import type { Differential } from "./system.ts";

interface PartsCase {
  readonly what: keyof typeof OURS;
  // oxlint-disable-next-line typescript/no-explicit-any -- each kind of case has a different shape
  readonly input: any;
}

/** Streams and what becomes of them, messages as they are written, schemas, and arguments that fit a schema or do not. */
export const kosongParts: Differential<PartsCase> = {
  name: "Parts, messages and schemas (kosong)",
  results: "kosong_parts.ndjson",
  documented: ({ what, input }, { ours, theirs }) =>
    what === "dereference" &&
    /"\$ref":"#/.test(JSON.stringify(theirs)) &&
    !JSON.stringify(ours).includes('"#')
      ? "references beside a reference are written out too"
      : invalidSchema({ what, input }, { ours, theirs }),
  async ours({ what, input }) {
    try {
      return await OURS[what](input);
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  },
};

interface Results {
  readonly ours: unknown;
  readonly theirs: unknown;
}

function invalidSchema({ what }: PartsCase, { ours, theirs }: Results): string | undefined {
  if (/PointerToNowhere|"Unresolvable: /.test(JSON.stringify(theirs)) && ours === "does not fit")
    return "a reference that leads nowhere or away does not fit, and is not thrown";
  const isRefused = what === "fit" && JSON.stringify(ours).includes("are no JSON Schema");
  return isRefused ? "faults of a schema are reported in a different wording" : undefined;
}

/* oxlint-disable typescript/no-explicit-any -- as in PartsCase */
const OURS = {
  async generate(parts: any): Promise<unknown> {
    const order: unknown[] = [];
    const provider = new MockChatProvider((parts as Shorthand[]).map(partFrom));
    const { message: made } = await generate(
      provider,
      { systemPrompt: "", tools: [], history: [] },
      {
        onMessagePart: (part) => void order.push(["part", part]),
        onToolCall: (call) => void order.push(["call", call]),
      },
    );
    return { message: dumpMessage(made, { nulls: true }), bare: dumpMessage(made), order };
  },
  dump({ role, name, content, tool_calls: calls }: any): unknown {
    const made = message({
      role,
      name,
      content: (content as Shorthand[]).map((part) => partFrom(part) as ContentPart),
      toolCalls: (calls as Shorthand[] | null)?.map((part) => partFrom(part) as ToolCall) ?? null,
    });
    return {
      whole: dumpMessage(made, { nulls: true }),
      bare: dumpMessage(made),
      text: extractText(made, "|"),
    };
  },
  dereference: (given: any): unknown => dereference(given),
  type: (given: any): unknown => ensurePropertyTypes(given),
  async fit({ schema: parameters, value: args }: any): Promise<unknown> {
    const tool = callableTool({ name: "f", description: "", parameters, call: () => toolOk("fits") });
    const call = toolCall("1", "f", { arguments: JSON.stringify(args) });
    const { returnValue } = await simpleToolset([tool]).handle(call);
    // The original reports the fault with excerpts, in many lines.
    return returnValue.isError ? "does not fit" : "fits";
  },
};
/* oxlint-enable typescript/no-explicit-any */
