import { invalid } from "../errors.ts";

const ROLES: ReadonlySet<unknown> = new Set([
  "system",
  "developer",
  "user",
  "assistant",
  "tool",
  "function",
  "model",
]);

/** What a request must have before anything is sent, whichever vocabulary it was written in. */
export interface Sendable {
  readonly messages: unknown;
  /** OpenAI's form, or with the name on top. */
  readonly tools?: unknown;
  /** Limits and times by their names: numbers from 0, or nothing. */
  readonly limits?: Readonly<Record<string, unknown>>;
  /** Whether a conversation without messages is for somebody else to judge. Default false. */
  readonly mayBeEmpty?: boolean;
}

/**
 * Refuses what no provider takes: no messages, roles that are none, tools without names, values that contain
 * themselves, negative limits.
 * @throws ChatError "validation" that names the place
 */
export function expectSendable({ messages, tools, limits = {}, mayBeEmpty = false }: Sendable): void {
  if (Array.isArray(messages)) {
    if (messages.length === 0 && !mayBeEmpty) throw invalid("messages", "the list is empty");
    expectMessages(messages);
  }
  if (Array.isArray(tools)) tools.forEach((tool, at) => expectTool(tool, `tools[${at}]`));
  for (const [name, value] of Object.entries(limits))
    if (typeof value === "number" && !(value >= 0)) throw invalid(name, `must be 0 or more, not ${value}`);
}

function expectMessages(messages: readonly unknown[]): void {
  messages.forEach((message, at) => {
    const where = `messages[${at}]`;
    expectNoCircle(message, where, []);
    const role = fieldOf(message, "role");
    if (role !== undefined && !ROLES.has(role))
      throw invalid(
        `${where}.role`,
        `${JSON.stringify(role)} is no role; the roles are ${[...ROLES].join(", ")}`,
      );
  });
}

function expectTool(tool: unknown, where: string): void {
  expectNoCircle(tool, where, []);
  const inner = fieldOf(tool, "function");
  // What is no tool at all is judged by whoever knows the vocabulary.
  if (inner === undefined && fieldOf(tool, "name") === undefined && fieldOf(tool, "type") !== "function")
    return;
  const name = inner === undefined ? fieldOf(tool, "name") : fieldOf(inner, "name");
  if (typeof name === "string" && name !== "") return;
  throw invalid(`${where}${inner === undefined ? "" : ".function"}.name`, "a tool needs a name");
}

function expectNoCircle(value: unknown, where: string, above: readonly unknown[]): void {
  if (typeof value !== "object" || value === null) return;
  if (above.includes(value)) throw invalid(where, "the value contains itself");
  const inside = [...above, value];
  for (const [name, one] of Object.entries(value))
    expectNoCircle(one, Array.isArray(value) ? `${where}[${name}]` : `${where}.${name}`, inside);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
