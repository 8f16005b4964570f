import type { Departure } from "../../call.ts";
import type { RequestBody } from "../../protocol/protocol.ts";
import { canonicalJson, isJsonArray, type JsonTree, member } from "../../json/json-tree.ts";

/** Where the turns of a conversation stand, by protocol. */
const LISTS = [["messages"], ["input"], ["contents"], ["input", "messages"]] as const;
const ANSWERING = new Set(["assistant", "model", "tool", "function"]);

/**
 * The first turn at which a conversation leaves the recorded one, for conversations of several turns: undefined where
 * no answer or tool result comes before it, since then the difference itself says as much.
 */
export function departure(recorded: RequestBody, asked: RequestBody): Departure | undefined {
  if (recorded.kind !== "json" || asked.kind !== "json") return undefined;
  for (const way of LISTS) {
    const [before, now] = [listAt(recorded.tree, way), listAt(asked.tree, way)];
    if (before !== undefined && now !== undefined) return departureOf(way.join("."), before, now);
  }
  return undefined;
}

function listAt(tree: JsonTree, way: readonly string[]): readonly JsonTree[] | undefined {
  let value: JsonTree | undefined = tree;
  for (const name of way) value = member(value, name);
  return value !== undefined && isJsonArray(value) ? value : undefined;
}

function departureOf(
  list: string,
  before: readonly JsonTree[],
  now: readonly JsonTree[],
): Departure | undefined {
  const count = Math.max(before.length, now.length);
  for (let index = 0; index < count; index += 1) {
    const [old, asked] = [before[index], now[index]];
    if (old !== undefined && asked !== undefined && canonicalJson(old) === canonicalJson(asked)) continue;
    if (!now.slice(0, index).some((turn) => ANSWERING.has(roleOf(turn)))) return undefined;
    const role = roleOf(asked ?? old);
    const what = role === "" ? "" : ` (${role})`;
    const how =
      old === undefined
        ? "the recorded conversation ends before it"
        : asked === undefined
          ? "the conversation ends before it"
          : "the conversation departs from the recorded one there";
    const place = `${list}[${index}]${what}`;
    return { index, role, place, text: `${place}: ${how}` };
  }
  return undefined;
}

/** Items of the responses protocol that are no messages are known by their type. */
function roleOf(turn: JsonTree | undefined): string {
  const role = member(turn, "role");
  if (typeof role === "string") return role;
  const type = member(turn, "type");
  if (typeof type !== "string") return "";
  return type.endsWith("_output") ? "tool" : type.endsWith("_call") ? "assistant" : type;
}
