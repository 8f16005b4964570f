import type {
  ConversationMessage,
  ConversationPart,
  Projection,
} from "../../src/core/protocol/base/protocol.ts";
import type { ProtocolCase } from "../contract/protocol-contract.ts";
import { text } from "./protocol-case.ts";

export const thinking = (value: string): ConversationPart => ({ type: "thinking", text: value });
export const other = (description: string, value: string): ConversationPart => ({
  type: "other",
  description,
  text: value,
});
export const replies = (value: string): ConversationMessage => ({ role: "reply", parts: [text(value)] });

/** A call of a provider that speaks much like OpenAI, and what is to be read in it. */
export interface Given {
  readonly provider: string;
  readonly path: string;
  readonly fixture: string;
  readonly method?: "GET";
  readonly operation: string;
  readonly label: string;
  readonly reads: Projection;
  readonly ends?: ProtocolCase["ends"];
}
