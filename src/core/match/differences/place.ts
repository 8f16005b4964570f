import { pointerTo, isJsonObject, member, type JsonTree } from "../../json/json-tree.ts";

/** Somewhere in a body, for programs and for people. */
export interface Place {
  /** JSON pointer (RFC 6901). */
  readonly pointer: string;
  /** E.g. `messages[0] (system)`; "" at the root. */
  readonly label: string;
  /** Whether it is an element of an array: its `content` or `text` then goes by the element's own name. */
  readonly element: boolean;
}

export const ROOT: Place = { pointer: "", label: "", element: false };

/** What a place is called where it stands alone. */
export const labelOf = (place: Place): string => (place.label === "" ? "body" : place.label);

/** The place of a member. `isText` says that its value is a text on both sides. */
export function memberPlace(parent: Place, name: string, isText: boolean): Place {
  const pointer = pointerTo(parent.pointer, name);
  if (parent.element && isText && (name === "content" || name === "text")) {
    return { pointer, label: parent.label, element: false };
  }
  const step = /^[\w$-]+$/.test(name) ? name : `["${name}"]`;
  const between = parent.label === "" || step.startsWith("[") ? "" : parent.label.endsWith(")") ? " " : ".";
  return { pointer, label: parent.label + between + step, element: false };
}

/** The place of an element; messages are known by their role. */
export function elementPlace(parent: Place, index: number, element: JsonTree): Place {
  const role = member(element, "role");
  const called = typeof role === "string" ? ` (${role})` : "";
  const label = `${labelOf(parent)}[${index}]${called}`;
  return { pointer: `${parent.pointer}/${index}`, label, element: true };
}

/** What a tool or function is called; messages may have a name too, but are not known by it. */
export function toolName(element: JsonTree): string | undefined {
  if (!isJsonObject(element) || member(element, "role") !== undefined) return undefined;
  const name = member(member(element, "function"), "name") ?? member(element, "name");
  return typeof name === "string" ? name : undefined;
}
