import { listOf } from "./lenient.ts";
import type { Part } from "../protocol.ts";

/** The parts of a content: a text, or a list of texts and of what `partsOf` reads. An empty text says nothing. */
export function partsOfContent(content: unknown, partsOf: (item: unknown) => Part | readonly Part[]): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return listOf(content).flatMap((item) =>
    typeof item === "string" ? { type: "text", text: item } : partsOf(item),
  );
}
