import { describe, expect, it } from "vitest";
import { describeRecording, describeRequest } from "../../../src/core/view/describe.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import {
  renderMissDocument,
  renderRecordingDocument,
} from "../../../src/editor/documents/document-content-model.ts";
import { readPictureUrl } from "../../../src/editor/documents/picture-model.ts";
import {
  createDocumentAddress,
  getLanguage,
  readSubject,
} from "../../../src/editor/documents/document-uri-model.ts";
import { aRecording, bytes } from "../../support/a-recording.ts";
import { NOW, aChat, aMiss, aTest } from "../calls-tree/a-calls-tree.ts";

const providers = createProviders();
const view = describeRecording(aChat("Say hi", { test: aTest("tests/a.test.ts", "says hi") }), providers);

describe("a readable document", () => {
  it("has sections that begin at their rules, also without the header", () => {
    for (const part of ["all", "conversation", "request"] as const) {
      const { text, sections } = renderRecordingDocument(view, part, { now: NOW });

      const lines = text.split("\n");
      expect(sections.length).toBeGreaterThan(0);
      for (const { title, line } of sections) expect(lines[line]).toMatch(new RegExp(`^── ${title} `, "u"));
      expect(sections.at(-1)?.endLine).toBe(lines.length - 2);
    }
  });

  it("keeps its pictures as links when it is compared", () => {
    const url = "data:image/png;base64,iVBORw0KGgo=";
    const asked = {
      model: "gpt-4o",
      messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
    };
    const recording = aRecording({ request: { body: bytes(JSON.stringify(asked)) } });

    const { text, links } = renderRecordingDocument(describeRecording(recording, providers), "conversation", {
      now: NOW,
    });

    expect(links.map(({ target }) => target)).toEqual([{ kind: "url", url }]);
    expect(links.map(({ line, start, end }) => text.split("\n")[line]?.slice(start, end))[0]).toMatch(
      /^\[image/u,
    );
  });

  it("compares requests and answers, not their time and place", () => {
    const later = describeRecording(aChat("Say hi", { recordedAt: "2026-01-05T10:00:00Z" }), providers);

    const before = renderRecordingDocument(view, "conversation", { now: NOW });
    const after = renderRecordingDocument(later, "conversation", {
      now: NOW,
      path: "elsewhere.json",
      candidate: true,
    });

    expect(after.text).toBe(before.text);
    expect(before.text).toContain("Fine.");
    expect(before.links).toEqual([]);
  });

  it("compares only the request of a missing call with a recording", () => {
    const miss = aMiss("Say hi");
    const recorded = renderRecordingDocument(view, "request", { now: NOW });

    const missed = renderMissDocument({ miss, view: describeRequest(miss, providers) }, "request", {
      now: NOW,
    });

    expect(missed.text).toBe(recorded.text);
    expect(missed.text).not.toContain("key ");
    expect(missed.text).toContain("── user ");
    expect(missed.text).not.toContain("Missing");
    expect(missed.text).not.toContain("Fine.");
  });
});

describe("a document's address", () => {
  it.each([
    [{ of: { entry: "calls/openai/3f/3f9a.2.json" }, part: "all" }],
    [{ of: { finding: 'missing sha256:ab ["tests/a b.test.ts","100% › &?#"]' }, part: "request" }],
    [{ of: { test: { file: "tests/a b.test.ts", name: ["100% &?#", "›"] } }, part: "all" }],
    [{ of: { entry: "calls/my%20own/3f/3f9a.json" }, part: "conversation" }],
    [{ of: { entry: "calls/openai/3f/3f9a.json" }, part: "all", folder: "file:///w/a%20b&folder=c" }],
  ] as const)("describes its content: %j", (subject) => {
    expect(readSubject(createDocumentAddress(subject, "a label").query)).toEqual(subject);
  });

  it.each([
    ['"Say hi in one word"', "Say hi in one word"],
    ['"Read /etc/passwd\nand ..\\more"', "Read etc passwd and .. more"],
    ['".."', "Call"],
    [`"${"🎉".repeat(60)}"`, `${"🎉".repeat(48)}…`],
    ["3 texts to embed", "3 texts to embed"],
  ])("is titled %s", (label, title) => {
    const { path } = createDocumentAddress({ of: { entry: "e" }, part: "all" }, label);

    expect(path).toBe(`/Tapedeck recordings/${title}`);
  });

  it.each([
    [{ entry: "e" }, "Tapedeck recordings", "tapedeck-call"],
    [{ finding: "missing sha256:ab" }, "Tapedeck missing calls", "tapedeck-call"],
    [{ finding: "failed openai" }, "Tapedeck failed calls", "tapedeck-call"],
    [{ test: { file: "a.test.ts", name: ["one"] } }, "Tapedeck tests", "tapedeck-call"],
    [{ timeline: { which: "run" as const } }, "Tapedeck runs", "tapedeck-run"],
    [{ overview: { days: 7, at: 0 } }, "Tapedeck runs", "tapedeck-run"],
  ])(
    "%j is in the folder and the language that decide its menus and its wrapping",
    (of, folder, language) => {
      const subject = { of, part: "all" } as const;
      const { path } = createDocumentAddress(subject);

      expect([path.split("/")[1], getLanguage(subject)]).toEqual([folder, language]);
    },
  );

  it("has the same title before and after a missing call is recorded", () => {
    const title = ({ path }: { readonly path: string }): string | undefined => path.split("/").at(-1);
    const missing = createDocumentAddress({ of: { finding: "missing sha256:ab" }, part: "all" }, '"Say hi"');
    const recorded = createDocumentAddress({ of: { entry: "e" }, part: "all" }, '"Say hi"');

    expect([title(missing), title(recorded)]).toEqual(["Say hi", "Say hi"]);
  });

  it("is not taken from anything else", () => {
    expect(readSubject("")).toBeUndefined();
    expect(readSubject('{"of":{"entry":"a"},"part":"half"}')).toBeUndefined();
    expect(readSubject('{"of":{"test":[]},"part":"all"}')).toBeUndefined();
    expect(readSubject("{")).toBeUndefined();
  });
});

describe("a picture in a message", () => {
  it("becomes a file of its media type", () => {
    const picture = readPictureUrl("data:image/png;base64,iVBORw0KGgo=");

    expect(picture?.name).toMatch(/^[0-9a-f]{16}\.png$/u);
    expect([...(picture?.bytes ?? [])]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  });

  it("is not run when it could hold a script", () => {
    expect(readPictureUrl("data:image/svg+xml,%3Csvg%2F%3E")?.name).toMatch(/\.txt$/u);
    expect(readPictureUrl("data:text/html;charset=utf-8,<script>")?.name).toMatch(/\.txt$/u);
    expect(readPictureUrl("https://example.com/a.png")).toBeUndefined();
  });
});

describe("a text of megabytes", () => {
  const MANY = 16_000_000;
  const long = describeRecording(aChat(`Read this. ${"word ".repeat(MANY / 5)}`), providers);

  it("is truncated, shows the remaining size, and links the whole file", () => {
    const { text, links } = renderRecordingDocument(long, "all", {
      now: NOW,
      path: ".tapedeck/calls/x.json",
    });

    expect(text.length).toBeLessThan(250_000);
    expect(text).toContain("… 15,800,011 more characters: open the file to see all of it");
    const linked = links.map(({ line, start, end }) => text.split("\n")[line]?.slice(start, end));
    expect(linked).toContain("open the file to see all of it");
  });

  it("is cut between characters", () => {
    const emoji = describeRecording(aChat(`x${"😀".repeat(200_000)}`), providers);

    const { text } = renderRecordingDocument(emoji, "all", { now: NOW });

    expect(text).not.toMatch(/[\ud800-\udfff]/u);
    expect(text).toContain("more characters");
  });
});
