import { textOf } from "../../../wire/text.ts";
import { fieldsOf, isFields, jsonIn, textIn, type Fields } from "../../reading/lenient.ts";

const OPEN: ReadonlySet<unknown> = new Set(["queued", "in_progress"]);

/** The response in a body; undefined where it is none, or one that failed. */
function responseIn(body: Uint8Array): Fields | undefined {
  const value = jsonIn(textOf(body));
  return isFields(value) && !value["error"] && value["status"] !== "failed" ? value : undefined;
}

/**
 * Whether a body is a whole response. One that was asked for in the background is whole when it says its name:
 * what becomes of it is the answer to another call.
 */
export function isWholeResponse(body: Uint8Array): boolean {
  const response = responseIn(body);
  if (response === undefined) return false;
  return response["background"] === true || !OPEN.has(response["status"]);
}

/** Says of a retrieved response that it is still being made: who waits for it asks again. */
export function unfinishedResponse(body: Uint8Array): string | undefined {
  const { id, status } = fieldsOf(responseIn(body));
  if (typeof status !== "string" || !OPEN.has(status)) return undefined;
  return `The response ${textIn(id) ?? ""} is ${status}, not finished`.replace("  ", " ");
}
