import { pythonJson } from "./json.ts";

/**
 * Python's `json.dumps(value)` as it is without options: everything beyond ASCII as `\uXXXX`.
 * @throws ChatError as `pythonTree`
 */
export function pythonAsciiJson(value: unknown, where: string): string {
  return pythonJson(value, where).replace(/[\u0080-\uffff]/g, escaped);
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
