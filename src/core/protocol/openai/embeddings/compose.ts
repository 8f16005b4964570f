import { encodeBase64 } from "../../../cassette/base64.ts";
import { member, type JsonObject } from "../../../json/json-tree.ts";
import { bytesOf } from "../../../wire/text.ts";
import { countIn } from "../../reading/lenient.ts";
import { valueAt } from "../../reading/request.ts";

/** The length of `text-embedding-3-small`, and of most others that are asked for without one. */
const NUMBERS = 1536;
const MOST_NUMBERS = 4096;

/** Embeddings of the right shape: unit vectors that are alike for alike inputs and mean nothing else. */
export function composeEmbeddings(
  body: JsonObject,
  inputs: readonly unknown[],
): { contentType: string; body: Uint8Array } {
  const asked = countIn(valueAt(body, "dimensions")) ?? NUMBERS;
  const length = Number.isInteger(asked) ? Math.min(Math.max(asked, 1), MOST_NUMBERS) : NUMBERS;
  const base64 = member(body, "encoding_format") === "base64";
  const model = member(body, "model");
  const reply = {
    object: "list",
    data: inputs.map((input, index) => {
      const vector = unitVector(JSON.stringify(input) ?? "", length);
      return {
        object: "embedding",
        index,
        embedding: base64 ? encodeBase64(new Uint8Array(vector.buffer)) : [...vector],
      };
    }),
    model: typeof model === "string" ? model : "",
    usage: { prompt_tokens: 0, total_tokens: 0 },
  };
  return { contentType: "application/json", body: bytesOf(JSON.stringify(reply)) };
}

/** Numbers that the text decides, of length 1 together. */
function unitVector(text: string, length: number): Float32Array<ArrayBuffer> {
  let state = 2_166_136_261;
  for (const byte of bytesOf(text)) state = Math.imul(state ^ byte, 16_777_619);
  const numbers = new Float32Array(length).map(() => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state / 2 ** 31;
  });
  const norm = Math.hypot(...numbers) || 1;
  return numbers.map((number) => number / norm);
}
