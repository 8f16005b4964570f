import { localize } from "../../core/base/localize.ts";
import { isFields } from "../../core/base/lenient.ts";
import { shorten } from "../../core/view/row.ts";

/** A choice for the replies of lenient mode. */
export interface LenientChoice {
  readonly icon: string;
  readonly label: string;
  readonly description?: string;
  readonly detail: string;
  /** The member "lenient" of `tapedeck.jsonc`. For a script or a text, the person enters more; "keep" changes nothing. */
  readonly lenient: object | undefined | "script" | "text" | "keep";
}

/** Describes the member "lenient" of `tapedeck.jsonc`. */
export function describeLenient(lenient: unknown): string {
  const { script, mock, reply: text } = isFields(lenient) ? lenient : {};
  if (typeof script === "string") return localize("the script {0}", script);
  if (Array.isArray(script)) return localize("the script in tapedeck.jsonc");
  if (mock === "echo") return localize("an echo of the last user message");
  if (mock === "kosong") return localize("kosong's echo language");
  return typeof text === "string" ? `"${shorten(text)}"` : localize("the default reply");
}

/** Returns the choices, the current one first: pressing Enter keeps it. */
export const listLenientChoices = (lenient: unknown): readonly LenientChoice[] => [
  {
    icon: "check",
    label: localize("Keep Current"),
    description: describeLenient(lenient),
    detail: localize("Calls that are not recorded get this reply now"),
    lenient: "keep",
  },
  {
    icon: "list-ordered",
    label: localize("Script…"),
    detail: localize("Texts, tool calls, and failures from a file, in order or by the content of the call"),
    lenient: "script",
  },
  {
    icon: "mirror",
    label: localize("Echo"),
    detail: localize("Each call gets its last user message back"),
    lenient: { mock: "echo" },
  },
  {
    icon: "terminal",
    label: localize("Kosong's Echo Language"),
    detail: localize("The last user message is run as a script: think:, text:, tool_call:"),
    lenient: { mock: "kosong" },
  },
  {
    icon: "quote",
    label: localize("Text…"),
    detail: localize("Each call gets the same text"),
    lenient: "text",
  },
  {
    icon: "beaker",
    label: localize("Default Reply"),
    detail: localize("Each call gets a note that it is not recorded"),
    lenient: undefined,
  },
];

/** The content of a new script. */
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
