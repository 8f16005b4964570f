import type { JsonObject } from "../../json/json-tree.ts";
import { composedJson } from "../composed.ts";
import { operationFrom } from "../operation.ts";
import type { Part, Protocol } from "../protocol.ts";
import { countIn, fieldsOf, jsonText, textIn } from "../reading/lenient.ts";
import { mediaAt, mediaNamed } from "../reading/media.ts";
import { otherPart, textPart } from "../reading/parts.ts";
import { isWholeWith, replyReader } from "../reading/reply.ts";
import { plural } from "../../plural.ts";
import { factsWith, objectWith, textAt, valueAt } from "../reading/request.ts";
import { allBut } from "../reading/settings.ts";
import { failureIn } from "./failure.ts";

/** The text of a document or a picture, page by page. Source: mistralai/client-python `ocr.py`, 2026-11. */
export const mistralOcr: Protocol = operationFrom({
  operation: "ocr",
  path: "/ocr",
  body: objectWith("Reading a document", "document"),
  facts(body) {
    const part = documentPart(body);
    return factsWith(body, `${part.type === "media" ? part.description : "document"} to read`);
  },
  messages: (body) => [{ role: "to read", parts: [documentPart(body)] }],
  settings: allBut("model", "document"),
  project: replyReader({
    failure: (fields) => !Array.isArray(fields["pages"]) && failureIn(fields),
    whole({ pages, document_annotation: note, usage_info: usage, model }) {
      if (!Array.isArray(pages)) return undefined;
      const texts = pages.map((page) => textPart(textIn(fieldsOf(page)["markdown"]) ?? ""));
      const annotation = textIn(note);
      const noted = annotation === undefined ? [] : [otherPart("annotation", annotation)];
      const processed = countIn(fieldsOf(usage)["pages_processed"]);
      return {
        messages: [{ role: "reply", parts: [...texts, ...noted] }],
        finishReason: processed === undefined ? undefined : plural(processed, "page"),
        model: textIn(model),
      };
    },
  }),
  compose({ text }, body) {
    const page = { index: 0, markdown: text, images: [], dimensions: null };
    const usage_info = { pages_processed: 0, doc_size_bytes: null };
    return composedJson({ pages: [page], model: textAt(body, "model") ?? "", usage_info });
  },
  isWhole: isWholeWith(({ pages }) => Array.isArray(pages)),
});

/** A document or a picture by its address, or a file by its id. */
function documentPart(body: JsonObject): Part {
  const document = fieldsOf(valueAt(body, "document"));
  const name = textIn(document["document_name"]);
  const image = textIn(document["image_url"]) ?? textIn(fieldsOf(document["image_url"])["url"]);
  if (image !== undefined) return mediaAt("image", image, name);
  const url = textIn(document["document_url"]);
  if (url !== undefined) return mediaAt("file", url, name);
  const id = textIn(document["file_id"]) ?? name;
  return id === undefined ? otherPart("document", jsonText(document)) : mediaNamed("file", id);
}
