import { isFields } from "../../core/base/lenient.ts";
import { shorten } from "../../core/view/row.ts";

/** One of the answers that lenient mode can give. */
export interface LenientChoice {
  readonly icon: string;
  readonly label: string;
  readonly description?: string;
  readonly detail: string;
  /** The member "lenient" of `tapedeck.jsonc`. A script and a text are asked for; "keep" changes nothing. */
  readonly lenient: object | undefined | "script" | "text" | "keep";
}

/** Describes the member "lenient" of `tapedeck.jsonc`. */
export function lenientNow(lenient: unknown): string {
  const { script, mock, reply: text } = isFields(lenient) ? lenient : {};
  if (typeof script === "string") return `the script ${script}`;
  if (Array.isArray(script)) return "the script in tapedeck.jsonc";
  if (mock === "echo") return "an echo of what the user said last";
  if (mock === "kosong") return "kosong's echo language";
  return typeof text === "string" ? `"${shorten(text)}"` : "the default reply";
}

/** Returns the choices, the current one first: pressing Enter keeps it. */
export const lenientChoices = (lenient: unknown): readonly LenientChoice[] => [
  {
    icon: "check",
    label: "As it is",
    description: lenientNow(lenient),
    detail: "What is not recorded is made up like this",
    lenient: "keep",
  },
  {
    icon: "list-ordered",
    label: "A script…",
    detail: "Replies in order and by what is asked: texts, tool calls, failures; from a file of the project",
    lenient: "script",
  },
  {
    icon: "mirror",
    label: "Echo",
    detail: "Each call gets its last user message back",
    lenient: { mock: "echo" },
  },
  {
    icon: "terminal",
    label: "Kosong's echo language",
    detail: "What the user said last is read as a script: think:, text:, tool_call:",
    lenient: { mock: "kosong" },
  },
  { icon: "quote", label: "A text…", detail: "Each call gets the same text", lenient: "text" },
  {
    icon: "beaker",
    label: "The default reply",
    detail: "A sentence that says that nothing is recorded",
    lenient: undefined,
  },
];

/** What a new script begins with. */
export const NEW_SCRIPT = `${JSON.stringify(
  [
    "The first call gets this text.",
    { reply: "A call that asks about snakes gets this, twice.", text: "snake", times: 2 },
    { reply: { toolCalls: [{ name: "look_up", arguments: { id: "A-1" } }] }, text: "look it up" },
    { status: 429, retryAfter: 1, message: "Slow down.", text: "too often" },
    { reply: "All others get this.", times: "always" },
  ],
  null,
  2,
)}\n`;

export const NEW_SCRIPT_NAME = "tapedeck-script.json";
