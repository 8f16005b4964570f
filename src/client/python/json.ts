import { unicodeEscape } from "../../core/wire/text.ts";
import { writeJson } from "../../core/json/json-write.ts";
import { pythonTree } from "./value.ts";

/**
 * Python's `json.dumps(value, ensure_ascii=False)`: members in their own order, `", "` and `": "`, nothing escaped but
 * quotes, backslashes and controls below U+0020. Lone surrogates stay as they are.
 * @throws ChatError as `pythonTree`
 */
export function pythonJson(value: unknown, where: string): string {
  return writeJson(pythonTree(value, where), { colon: ": ", comma: ", " }).replace(ESCAPE, surrogate);
}

/** JavaScript escapes lone surrogates; any other escape is passed over whole. */
const ESCAPE = /\\(?:u(d[89a-f][0-9a-f]{2})|.)/g;

function surrogate(found: string, digits: string | undefined): string {
  return digits === undefined ? found : String.fromCharCode(Number.parseInt(digits, 16));
}

/**
 * Python's `json.dumps(value)` as it is without options: everything beyond ASCII as `\uXXXX`.
 * @throws ChatError as `pythonTree`
 */
export function pythonAsciiJson(value: unknown, where: string): string {
  return pythonJson(value, where).replace(/[\u0080-\uffff]/g, unicodeEscape);
}
