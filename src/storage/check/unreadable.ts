import type { TapedeckError } from "../../core/errors.ts";
import { capital, type Finding } from "./findings.ts";

/** The catalogue names the place in its message; here the place stands beside it. */
export function unreadable(entry: string, { message, position }: TapedeckError): Finding {
  const reason = message.replace(/^The recording .*? cannot be read: /s, "");
  const { line = 1, column = 1 } = position ?? {};
  return { rule: "unreadable", entry, line, column, message: capital(reason) };
}
