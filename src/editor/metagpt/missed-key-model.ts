import { pythonJson } from "../../client/python/write.ts";
import type { Miss } from "../../core/call/call.ts";
import { cacheKeyOf } from "../../systems/metagpt/cache/as-recording.ts";
import { fieldsOf, jsonIn, listOf } from "../../core/base/lenient.ts";
import { utf8 } from "../../core/base/wire/text.ts";
import { sha256 } from "../../storage/folder/sha256.ts";

/**
 * Returns MetaGPT's key of a miss in its cache: the texts of its request, joined as MetaGPT joins them. Undefined where
 * they are not what the test sent, because a secret was redacted.
 */
export function missedKey({ key, request }: Pick<Miss, "key" | "request">): string | undefined {
  const messages = listOf(fieldsOf(jsonIn(utf8(request.body) ?? ""))["messages"]);
  const keys = [cacheKeyOf(messages), pythonJson(messages, "messages")];
  return keys.find((text) => `sha256:${sha256(text)}` === key);
}
