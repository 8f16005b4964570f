import { wrongUsage } from "../../core/errors.ts";
import type { Arguments } from "./arguments.ts";

/** Addresses by provider. Both are judged where they are used, by the table of providers. */
export function readUpstreams(args: Arguments): Readonly<Record<string, string>> {
  return Object.fromEntries(args.values("upstream").map(readUpstream));
}

function readUpstream(text: string): readonly [provider: string, address: string] {
  const at = text.indexOf("=");
  if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
  const how = "Write --upstream PROVIDER=URL, e.g. --upstream openai=https://api.openai.com";
  throw wrongUsage(`"${text}" does not name an upstream.`, how);
}
