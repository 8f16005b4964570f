import { bytesOf } from "../../../wire/text.ts";
import type { Form } from "../../reading/form.ts";
import type { ReplyDraft } from "../../protocol.ts";

/** A single transparent pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const MOST = 10;
/** Nothing was spent. */
const USAGE = {
  input_tokens: 0,
  input_tokens_details: { image_tokens: 0, text_tokens: 0 },
  output_tokens: 0,
  total_tokens: 0,
};

/** As many pictures of one pixel as were asked for; the draft's text stands as their revised prompt. */
export function composeImages(
  draft: ReplyDraft,
  form: Form,
  kind: "image_generation" | "image_edit",
): { contentType: string; body: Uint8Array } {
  const pictures = Array.from({ length: countIn(form.field("n")) });
  if (form.field("stream") === "true") {
    const data = {
      type: `${kind}.completed`,
      b64_json: PIXEL,
      created_at: 0,
      size: "1024x1024",
      quality: "auto",
      background: "auto",
      output_format: "png",
      usage: USAGE,
    };
    const frame = `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
    return {
      contentType: "text/event-stream; charset=utf-8",
      body: bytesOf(pictures.map(() => frame).join("")),
    };
  }
  // DALL·E gives addresses unless told otherwise, its successors never do.
  const inline =
    form.field("response_format") !== "url" && !(form.field("model") ?? "dall-e").startsWith("dall-e");
  const place =
    inline || form.field("response_format") === "b64_json"
      ? { b64_json: PIXEL }
      : { url: `data:image/png;base64,${PIXEL}` };
  const one = { ...place, ...(draft.text !== "" && { revised_prompt: draft.text }) };
  const reply = { created: 0, data: pictures.map(() => one), ...(inline && { usage: USAGE }) };
  return { contentType: "application/json", body: bytesOf(JSON.stringify(reply)) };
}

function countIn(text: string | undefined): number {
  const count = Number(text ?? 1);
  return Number.isInteger(count) ? Math.min(Math.max(count, 1), MOST) : 1;
}
