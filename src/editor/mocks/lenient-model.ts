import { faultInShort, readFault } from "../../core/config/read-faults.ts";
import type { PlannedFault } from "../../core/call/mocks.ts";
import { wrongUsage } from "../../core/base/errors.ts";
import { isFields } from "../../core/base/lenient.ts";
import { shorten } from "../../core/view/row.ts";
import { OFFERED_FAULTS } from "./faults-model.ts";

export interface LenientChoice {
  readonly icon: string;
  readonly label: string;
  readonly description?: string;
  readonly detail: string;
  /** "file" and "text" are asked for. */
  readonly chosen: "as it is" | "default" | "text" | "echo" | "kosong" | "file" | "faults";
}

/** The current values in `tapedeck.jsonc`. */
export interface LenientNow {
  /** The member "lenient" of the file. */
  readonly lenient: unknown;
  /** The member "faults" of the file. */
  readonly faults: unknown;
}

export function lenientNow({ lenient }: LenientNow): string {
  const { script, mock, reply: text } = isFields(lenient) ? lenient : {};
  if (typeof script === "string") return `the script ${script}`;
  if (Array.isArray(script)) return "the script in tapedeck.jsonc";
  if (mock === "echo") return "an echo of what the user said last";
  if (mock === "kosong") return "kosong's echo language";
  return typeof text === "string" ? `"${shorten(text)}"` : "the default reply";
}

/** What can be chosen, what is so now first: pressing Enter leaves it. */
export function lenientChoices(now: LenientNow): readonly LenientChoice[] {
  return [
    {
      icon: "check",
      label: "As it is",
      description: lenientNow(now),
      detail: "What is not recorded is made up like this",
      chosen: "as it is",
    },
    ...MOCKS,
    {
      icon: "zap",
      label: "Faults…",
      description: faultsNow(now.faults),
      detail: "What goes wrong on purpose, in strict and lenient mode",
      chosen: "faults",
    },
  ];
}

const MOCKS: readonly LenientChoice[] = [
  {
    icon: "list-ordered",
    label: "A script…",
    detail: "Replies in order and by what is asked: texts, tool calls, failures; from a file of the project",
    chosen: "file",
  },
  { icon: "mirror", label: "Echo", detail: "Each call gets what its user said last", chosen: "echo" },
  {
    icon: "terminal",
    label: "Kosong's echo language",
    detail: "What the user said last is read as a script: think:, text:, tool_call:",
    chosen: "kosong",
  },
  { icon: "quote", label: "A text…", detail: "Each call gets the same text", chosen: "text" },
  {
    icon: "beaker",
    label: "The default reply",
    detail: "A sentence that says that nothing is recorded",
    chosen: "default",
  },
];

function faultsNow(faults: unknown): string {
  if (typeof faults === "string") return `as ${faults} plans them`;
  const plan = planOf(faults);
  return plan.length === 0 ? "none" : plan.map(faultInShort).join(", ");
}

/** Those of the offered faults that are planned now, and the planned ones that are none of them. */
export function plannedNow(faults: unknown): {
  readonly offered: ReadonlySet<string>;
  readonly others: readonly PlannedFault[];
} {
  const plan = planOf(faults);
  const same = (one: PlannedFault, other: PlannedFault): boolean =>
    JSON.stringify(one) === JSON.stringify(other);
  const offered = OFFERED_FAULTS.filter(({ faults: own }) =>
    own.every((one) => plan.some((other) => same(one, other))),
  );
  const known = offered.flatMap(({ faults: own }) => own);
  return {
    offered: new Set(offered.map(({ name }) => name)),
    others: plan.filter((one) => !known.some((other) => same(one, other))),
  };
}

/** What is wrong in the file is said there. */
function planOf(faults: unknown): readonly PlannedFault[] {
  if (!Array.isArray(faults)) return [];
  return faults.flatMap((one: unknown) => {
    try {
      return [readFault(one, (why) => wrongUsage(why, ""))];
    } catch {
      return [];
    }
  });
}

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
