import { createHash } from "node:crypto";
import { isJsonNumber, isJsonObject, type JsonTree } from "../../../core/json/json-tree.ts";
import { pythonTree } from "../../python/value.ts";
import { isMessage } from "./message.ts";

export type Method = "aask" | "aask_batch" | "aask_code";

/** All that decides what a model would answer. */
export interface KeyedRequest {
  readonly method: Method;
  readonly provider: string;
  readonly model: string;
  /** The arguments of the method by name; those that are undefined or null are left out. */
  readonly args: Readonly<Record<string, unknown>>;
}

const PREFIX = "v2:sha256:";

export function isStrongKey(key: string): boolean {
  return /^v2:sha256:[0-9a-f]{64}$/.test(key);
}

/**
 * A key that two different requests never share: SHA-256 over method, provider, model and every argument, with names
 * sorted at every level and each text counted as it is.
 * @throws ChatError "validation" for circular values and what is no JSON
 */
export function strongKey({ method, provider, model, args }: KeyedRequest): string {
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null);
  const whole = {
    method,
    provider,
    model,
    args: new Map(given.map(([name, value]) => [name, plain(value)])),
  };
  return (
    PREFIX +
    createHash("sha256")
      .update(canonical(pythonTree(whole, method)))
      .digest("hex")
  );
}

/** `Message` objects become lists that begin with a mark, so that none is taken for a map of the same content. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return isMessage(value) ? ["$message", value.role, value.content, value.images] : value;
}

function canonical(tree: JsonTree): string {
  if (typeof tree !== "object" || tree === null) return JSON.stringify(tree);
  if (isJsonNumber(tree)) return tree.number;
  if (!isJsonObject(tree)) return `[${tree.map(canonical).join(",")}]`;
  const members = tree.members.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${canonical(value)}`).join(",")}}`;
}
