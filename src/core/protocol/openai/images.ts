import type { SseEvent } from "../../wire/sse.ts";
import { composedEvents, composedJson, spentIn } from "../composed.ts";
import { operationFrom } from "../operation.ts";
import type { Composed, Message, Part, Projection, Protocol, ReplyDraft } from "../protocol.ts";
import { errorsIn, fieldsOf, isFields, jsonIn, jsonText, textIn, type Fields } from "../reading/lenient.ts";
import { fileParts, formFacts, formSettings, formWith, type Form } from "../reading/form.ts";
import { mediaAt, pictureFrom } from "../reading/media.ts";
import { otherPart, textPart, textParts } from "../reading/parts.ts";
import { replyReader, type StreamReading } from "../reading/reply.ts";
import { plural } from "../../plural.ts";
import { shortLabel } from "../reading/request.ts";
import { usageIn } from "../reading/usage.ts";
import { typedStream } from "../stream-rules.ts";

/**
 * A stream of pictures has a `completed` event for each, and no mark for the last one but its end.
 * Source: platform.openai.com/docs/api-reference/images-streaming, 2026-11.
 */
const STREAM = typedStream({
  terminal: ["image_generation.completed", "image_edit.completed"],
  failed: ["error", "image_generation.failed", "image_edit.failed"],
  endsWithBody: true,
});

/**
 * Pictures from a prompt (JSON) or from pictures (a multipart form), whole or streamed with partial ones.
 * Source: platform.openai.com/docs/api-reference/images, 2026-11.
 */
export const openaiImages: readonly Protocol[] = [
  imageOperation("generations", "prompt"),
  imageOperation("edits", "image", "prompt"),
  imageOperation("variations", "image"),
];

function imageOperation(name: string, ...needs: readonly string[]): Protocol {
  const inForm = formWith("A call for pictures", ...needs);
  // An edit in JSON names its pictures under "images".
  const inJson = formWith("A call for pictures", ...needs.filter((need) => need !== "image"));
  return operationFrom<Form>({
    operation: `images.${name}`,
    path: `/images/${name}`,
    body: (request) => (request.body.kind === "json" ? inJson : inForm)(request),
    facts(form) {
      const prompt = form.field("prompt") ?? "";
      const vary = `${plural(form.files.length, "picture")} to vary`;
      return formFacts(form, prompt.trim() === "" ? vary : shortLabel(prompt));
    },
    messages(form) {
      const prompt = form.field("prompt");
      const said = prompt === undefined ? [] : [textPart(prompt)];
      return [{ role: "user", parts: [...said, ...fileParts(form)] }];
    },
    settings: (form) => formSettings(form, ["model", "prompt", "stream"]),
    project: replyReader({ whole, stream }),
    stream: name === "variations" ? undefined : STREAM,
    compose: (draft, form) => compose(draft, form, name === "edits" ? "image_edit" : "image_generation"),
  });
}

/** Each picture is a message. */
function whole({ data, output_format: format, usage, model }: Fields): Projection | undefined {
  if (!Array.isArray(data)) return undefined;
  return {
    messages: data.map((one) => picture(fieldsOf(one), textIn(format))),
    usage: usageIn(usage, "responses"),
    model: textIn(model),
  };
}

/** Pictures that are not finished yet are counted, not shown: the finished one stands for them. */
function stream(events: readonly SseEvent[]): StreamReading {
  const all = events.map(({ data }) => fieldsOf(jsonIn(data)));
  const ofType = (end: string): Fields[] => all.filter(({ type }) => textIn(type)?.endsWith(end) === true);
  const finished = ofType(".completed");
  const partial = finished.length > 0 ? [] : ofType(".partial_image").slice(-1);
  return {
    read: {
      messages: [
        ...finished.map((event) => picture(event)),
        ...partial.map((event) => picture(event, undefined, "not finished")),
      ],
      usage: usageIn(finished.findLast(({ usage }) => isFields(usage))?.["usage"], "responses"),
    },
    errors: errorsIn(all),
  };
}

function picture(fields: Fields, format?: string, detail?: string): Message {
  const parts = [...textParts(fields["revised_prompt"]), picturePart(fields, format, detail)];
  return { role: "assistant", parts };
}

function picturePart(fields: Fields, format?: string, detail?: string): Part {
  const base64 = textIn(fields["b64_json"]);
  const url = textIn(fields["url"]);
  const type = textIn(fields["output_format"]) ?? format ?? "png";
  if (base64 !== undefined) return pictureFrom(base64, type, detail);
  return url === undefined ? otherPart("unreadable picture", jsonText(fields)) : mediaAt("image", url);
}

/** A single transparent pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const MOST = 10;
function imageUsage(draft: ReplyDraft): object {
  const { input, output } = spentIn(draft);
  return {
    input_tokens: input,
    input_tokens_details: { image_tokens: 0, text_tokens: input },
    output_tokens: output,
    total_tokens: input + output,
  };
}

/** As many pictures of one pixel as were asked for; the draft's text stands as their revised prompt. */
function compose(draft: ReplyDraft, form: Form, kind: "image_generation" | "image_edit"): Composed {
  const count = Number(form.field("n") ?? 1);
  const pictures = Array.from({ length: Number.isInteger(count) ? Math.min(Math.max(count, 1), MOST) : 1 });
  if (form.field("stream") === "true") {
    const event = {
      type: `${kind}.completed`,
      b64_json: PIXEL,
      created_at: 0,
      size: "1024x1024",
      quality: "auto",
      background: "auto",
      output_format: "png",
      usage: imageUsage(draft),
    };
    return composedEvents(pictures.map(() => event));
  }
  const format = form.field("response_format");
  // DALL·E gives addresses unless told otherwise, its successors never do.
  const isInline = format !== "url" && !(form.field("model") ?? "dall-e").startsWith("dall-e");
  const place =
    isInline || format === "b64_json" ? { b64_json: PIXEL } : { url: `data:image/png;base64,${PIXEL}` };
  const one = { ...place, revised_prompt: draft.text === "" ? undefined : draft.text };
  const usage = isInline ? imageUsage(draft) : undefined;
  return composedJson({ created: 0, data: pictures.map(() => one), usage });
}
