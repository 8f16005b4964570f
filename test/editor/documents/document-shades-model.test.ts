import { describe, expect, it } from "vitest";
import { describeRecording } from "../../../src/core/view/describe.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { recordingDocument } from "../../../src/editor/documents/document-content-model.ts";
import { shadesOf } from "../../../src/editor/documents/document-shades-model.ts";
import { NOW, aChat, aTest } from "../calls-tree/a-calls-tree.ts";

describe("the muted parts of a document", () => {
  it("are labels, facts and rules, and never what was said", () => {
    const said = "file  key 0123456789…\n── user ─────\nrecorded yesterday";
    const recording = aChat(said, { test: aTest("tests/a.test.ts", "says hi") });
    const view = describeRecording(recording, createProviders());
    const { text, sections } = recordingDocument(view, "all", { now: NOW, path: "a.json" });

    const shades = shadesOf(text, sections);

    const muted = shades.map(({ line, start, end }) =>
      text.split("\n")[line]?.slice(start, end).replace(/─+/gu, "─"),
    );
    expect(muted.map((words) => words?.replace(/[0-9a-f]{8}…/u, "…"))).toEqual([
      "recorded 3 days ago",
      "made by",
      "file",
      "key …",
      "─ ",
      " ─",
      "─ ",
      " ─ stop · 21 in, 2 out",
    ]);
  });
});
