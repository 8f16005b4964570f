import { localize } from "../../base/localize.ts";
import { decodeText } from "../../base/wire/text.ts";
import { composeEvents, composeUsage } from "../base/composed.ts";
import type { ConversationMessage, Protocol, ReplyDraft } from "../base/protocol.ts";
import {
  readFields,
  tryParsePlainJson,
  stringifyJson,
  readList,
  readText,
  type Fields,
} from "../../base/lenient.ts";
import { createMediaAt, createPicture } from "../base/media.ts";
import { createOtherPart, createTextParts } from "../base/parts.ts";
import { createProtocol, type OperationRow } from "./row.ts";
import type { RequestContent } from "./sent.ts";

/** Replies with images. A stream has a `completed` event for each; only the end of the body marks the last one. */
const PICTURES: Pick<OperationRow, "reply" | "stream"> = {
  reply: {
    members: ["data"],
    says: ({ data, output_format: format }) =>
      readList(data).map((one) => picture(readFields(one), readText(format))),
    usage: ["responses", "/usage"],
    joined(events) {
      const ending = (end: string): readonly Fields[] =>
        events.filter(({ type }) => readText(type)?.endsWith(end) === true);
      const done = ending(".completed");
      // Without a finished image, the last partial one is shown.
      return {
        data: done.length > 0 ? done : ending(".partial_image").slice(-1),
        usage: done.at(-1)?.["usage"],
      };
    },
  },
  stream: {
    terminal: ["image_generation.completed", "image_edit.completed"],
    failed: ["error", "image_generation.failed", "image_edit.failed"],
    endsWithBody: true,
  },
};

/**
 * Images from a prompt (JSON) or from other images (a multipart form), whole, or streamed with partial images.
 * Source: platform.openai.com/docs/api-reference/images and /images-streaming, 2026-11.
 */
export const images: readonly Protocol[] = [
  pictures("generations", ["prompt"]),
  pictures("edits", ["prompt"]),
  pictures("variations", ["image"]),
];

function pictures(name: string, needs: readonly string[]): Protocol {
  const { reply, stream } = PICTURES;
  const type = name === "edits" ? "image_edit.completed" : "image_generation.completed";
  const row = createProtocol({
    operation: `images.${name}`,
    call: `POST */images/${name}`,
    label: "{#files picture} to vary",
    prompt: ["/prompt"],
    takes: { what: "A call for pictures", needs, form: true },
    ...(reply && { reply }),
    ...(name !== "variations" && stream && { stream }),
    sample: (sent, draft) => ({ created: 0, data: samplePictures(sent, draft), usage: imageUsage(draft) }),
  });
  return {
    ...row,
    compose(draft, request) {
      if (!row.facts(request).streaming) return row.compose(draft, request);
      const whole = readFields(
        tryParsePlainJson(decodeText(row.compose({ ...draft, text: "" }, request).body)),
      );
      const { usage } = whole;
      return composeEvents(
        readList(whole["data"]).map(() => ({
          type,
          b64_json: PIXEL,
          created_at: 0,
          output_format: "png",
          usage,
        })),
      );
    },
  };
}

function picture(fields: Fields, format: string | undefined): ConversationMessage {
  const [base64, url] = [readText(fields["b64_json"]), readText(fields["url"])];
  const type = readText(fields["output_format"]) ?? format ?? "png";
  const isPartial = readText(fields["type"])?.endsWith(".partial_image") === true;
  const shown =
    base64 !== undefined
      ? createPicture(base64, type, isPartial ? localize("not finished") : undefined)
      : url === undefined
        ? createOtherPart(localize("unreadable picture"), stringifyJson(fields))
        : createMediaAt("image", url);
  return { role: "assistant", parts: [...createTextParts(fields["revised_prompt"]), shown] };
}

/** A single transparent pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const MOST = 10;

/** Composes the requested number of pictures. The draft's text is their revised prompt. */
function samplePictures({ fields }: RequestContent, { text }: ReplyDraft): readonly object[] {
  const count = Number(fields["n"] ?? 1);
  const length = Number.isInteger(count) ? Math.min(Math.max(count, 1), MOST) : 1;
  // DALL·E returns URLs by default. Its successors never do.
  const isAddress = (readText(fields["model"]) ?? "dall-e").startsWith("dall-e");
  const format = fields["response_format"] ?? (isAddress ? "url" : "b64_json");
  const place = format === "url" ? { url: `data:image/png;base64,${PIXEL}` } : { b64_json: PIXEL };
  return Array.from({ length }, () => ({ ...place, ...(text !== "" && { revised_prompt: text }) }));
}

function imageUsage(draft: ReplyDraft): object {
  const { input, output } = composeUsage(draft);
  return {
    input_tokens: input,
    input_tokens_details: { image_tokens: 0, text_tokens: input },
    output_tokens: output,
    total_tokens: input + output,
  };
}
