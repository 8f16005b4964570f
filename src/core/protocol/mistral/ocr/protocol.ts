import type { JsonObject } from "../../../json/json-tree.ts";
import { textOf } from "../../../wire/text.ts";
import { composedJson } from "../../composed.ts";
import { countIn, fieldsOf, jsonIn, jsonText, present, textIn, type Fields } from "../../reading/lenient.ts";
import { mediaAt, mediaNamed } from "../../reading/media.ts";
import { mistralFailure } from "../failure.ts";
import type { Part, Projection, Protocol, ProtocolRequest } from "../../protocol.ts";
import { projectJson } from "../../reading/reply.ts";
import { counted, factsWith, objectBody, valueAt } from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";

/** The text of a document or a picture, page by page. Source: mistralai/client-python `ocr.py`, 2026-11. */
export const mistralOcr: Protocol = {
  operation: "ocr",
  accepts: (method, pathname) => method === "POST" && pathname.endsWith("/ocr"),
  facts: (request) => {
    const body = bodyOf(request);
    const part = documentPart(body);
    const name = part.type === "media" ? part.description : "document";
    return { ...factsWith(body, `${name} to read`), streaming: false };
  },
  conversation: (request) => {
    const body = bodyOf(request);
    return {
      messages: [{ role: "to read", parts: [documentPart(body)] }],
      settings: settingsOf(body, ["model", "document"]),
    };
  },
  project: (reply) => projectJson(reply, readPages),
  compose: (draft, request) => {
    const model = textIn(valueAt(bodyOf(request), "model")) ?? "";
    const page = { index: 0, markdown: draft.text, images: [], dimensions: null };
    return composedJson({ pages: [page], model, usage_info: { pages_processed: 0, doc_size_bytes: null } });
  },
  isWhole: (body) => Array.isArray(fieldsOf(jsonIn(textOf(body)))["pages"]),
};

function bodyOf(request: ProtocolRequest): JsonObject {
  return objectBody(request, { operation: "Reading a document", needs: ["document"] });
}

/** A document or a picture by its address, or a file by its id. */
function documentPart(body: JsonObject): Part {
  const document = fieldsOf(valueAt(body, "document"));
  const name = textIn(document["document_name"]);
  const image = textIn(document["image_url"]) ?? textIn(fieldsOf(document["image_url"])["url"]);
  if (image !== undefined) return mediaAt("image", image, name);
  const url = textIn(document["document_url"]);
  if (url !== undefined) return mediaAt("file", url, name);
  const id = textIn(document["file_id"]) ?? name;
  if (id !== undefined) return mediaNamed("file", id);
  return { type: "other", description: "document", text: jsonText(document) };
}

function readPages(fields: Fields): Projection | undefined {
  if (!Array.isArray(fields["pages"])) return mistralFailure(fields);
  const pages = fields["pages"].map((page): Part => ({
    type: "text",
    text: textIn(fieldsOf(page)["markdown"]) ?? "",
  }));
  const annotation = textIn(fields["document_annotation"]);
  const noted: Part[] =
    annotation === undefined ? [] : [{ type: "other", description: "annotation", text: annotation }];
  const processed = countIn(fieldsOf(fields["usage_info"])["pages_processed"]);
  return present({
    messages: [{ role: "reply", parts: [...pages, ...noted] }],
    finishReason: processed === undefined ? undefined : counted(processed, "page"),
    model: textIn(fields["model"]),
  });
}
