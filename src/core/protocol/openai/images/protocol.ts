import { fileParts, formFacts, formOf, formSettings, type Form } from "../../reading/form.ts";
import type { Protocol, ProtocolRequest } from "../../protocol.ts";
import { isWholeJson } from "../../reading/reply.ts";
import { counted, shortLabel } from "../../reading/request.ts";
import { composeImages } from "./compose.ts";
import { projectImages } from "./project.ts";
import { openaiImagesStream } from "./stream.ts";

/**
 * Pictures from a prompt (JSON) or from pictures (a multipart form), whole or streamed with partial ones.
 * Source: platform.openai.com/docs/api-reference/images, 2026-11.
 */
export const openaiImages: readonly Protocol[] = [
  imageOperation("generations", ["prompt"]),
  imageOperation("edits", ["image", "prompt"]),
  imageOperation("variations", ["image"]),
];

function imageOperation(name: string, needs: readonly string[]): Protocol {
  const read = (request: ProtocolRequest): Form => {
    // An edit in JSON names its pictures under "images".
    const wanted = request.body.kind === "json" ? needs.filter((need) => need !== "image") : needs;
    return formOf(request, { operation: "A call for pictures", needs: wanted });
  };
  return {
    operation: `images.${name}`,
    accepts: (method, pathname) => method === "POST" && pathname.endsWith(`/images/${name}`),
    facts: (request) => {
      const form = read(request);
      const prompt = form.field("prompt") ?? "";
      const label =
        prompt.trim() === "" ? `${counted(form.files.length, "picture")} to vary` : shortLabel(prompt);
      return formFacts(form, label);
    },
    conversation: (request) => {
      const form = read(request);
      const prompt = form.field("prompt");
      const said = prompt === undefined ? [] : [{ type: "text" as const, text: prompt }];
      return {
        messages: [{ role: "user", parts: [...said, ...fileParts(form)] }],
        settings: formSettings(form, ["model", "prompt", "stream"]),
      };
    },
    project: projectImages,
    ...(name !== "variations" && { stream: openaiImagesStream }),
    compose: (draft, request) =>
      composeImages(draft, read(request), name === "edits" ? "image_edit" : "image_generation"),
    isWhole: isWholeJson,
  };
}
