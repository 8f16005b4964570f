import { localize } from "../base/localize.ts";
import type { TestRef } from "../call/call.ts";
import { liesInFile, testPlace, testTitle } from "../call/test-names.ts";
import { countText } from "../base/plural.ts";
import { visible, visibleLine } from "../base/visible.ts";

/** A document made to be read: plain text, and beside it what an editor or a terminal can do with its lines. */
export interface RenderedDocument {
  /** Lines end in "\n", the last one too. */
  readonly text: string;
  /** In order, without gaps; what stands above the first one is the header. */
  readonly sections: readonly DocumentSection[];
  readonly links: readonly DocumentLink[];
}

/** A stretch of lines under one rule. Lines count from 0, `endLine` is the last one that belongs to it. */
export interface DocumentSection {
  readonly title: string;
  readonly line: number;
  readonly endLine: number;
  /** Shown closed at first: of use to few readers. */
  readonly folded?: boolean;
}

/** A place that leads somewhere. `start` and `end` are UTF-16 columns from 0, `end` exclusive. */
export interface DocumentLink {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly target: LinkTarget;
}

export type LinkTarget =
  /** A test's source; `file` is relative to the workspace folder, `line` counts from 1. */
  | { readonly kind: "test"; readonly file: string; readonly line?: number | undefined }
  /** The file of the recording that is shown, as the caller named it. */
  | { readonly kind: "file"; readonly path: string }
  /** Another recording. */
  | { readonly kind: "recording"; readonly entry: string }
  /** An address in a message, http, https or data. */
  | { readonly kind: "url"; readonly url: string }
  /** A part of the calls; all of them if nothing narrows them. `test`: a title or a file. */
  | ({ readonly kind: "calls" } & CallsPart)
  /** The timeline of a run. */
  | { readonly kind: "run"; readonly id: string };

export interface CallsPart {
  readonly provider?: string;
  readonly model?: string;
  readonly test?: string;
  readonly state?: "stale" | "broken";
}

/** A piece of a line. */
export type Span = string | { readonly text: string; readonly target: LinkTarget };

export interface DocumentWriter {
  /** Adds one line. Text in it that would break the line is made harmless. */
  line(...spans: readonly Span[]): void;
  /** Adds a text as it is, line by line. */
  block(text: string): void;
  /** Adds a rule that begins a section and ends the one before. */
  section(title: string, options?: SectionOptions): void;
  finish(): RenderedDocument;
}

export interface SectionOptions {
  /** Follows the title on the rule. */
  readonly facts?: string | undefined;
  readonly folded?: boolean;
  /** Where the title leads. */
  readonly target?: LinkTarget | undefined;
}

const RULE = "── ";

export interface WriterOptions {
  /** Characters of a text that are shown; more would keep an editor busy for minutes. All where not said. */
  readonly cutAt?: number;
  /** The file that has the whole of a text that is cut. */
  readonly path?: string;
}

export function createDocumentWriter({ cutAt = Infinity, path }: WriterOptions = {}): DocumentWriter {
  const lines: string[] = [];
  const links: DocumentLink[] = [];
  const open: { title: string; line: number; folded?: boolean }[] = [];

  const writer: DocumentWriter = {
    line(...spans) {
      let text = "";
      for (const span of spans) {
        const piece = visible(typeof span === "string" ? span : span.text).replaceAll("\n", "⏎");
        if (typeof span !== "string") {
          links.push({
            line: lines.length,
            start: text.length,
            end: text.length + piece.length,
            target: span.target,
          });
        }
        text += piece;
      }
      lines.push(text);
    },
    block(text) {
      const shown = text.length > cutAt ? beginningOf(text, cutAt) : text;
      for (const line of visible(shown).split("\n")) lines.push(line);
      if (shown.length === text.length) return;
      const rest = localize("… {0} more characters", countText(text.length - shown.length));
      if (path === undefined) return writer.line(rest);
      writer.line(`${rest}: `, {
        text: localize("open the file to see all of it"),
        target: { kind: "file", path },
      });
    },
    section(title, { facts, folded, target } = {}) {
      const shown = visible(title).replaceAll("\n", " ");
      const start = RULE.length;
      if (target) links.push({ line: lines.length, start, end: start + shown.length, target });
      open.push({ title: shown, line: lines.length, ...(folded === true && { folded }) });
      lines.push(rule(shown, facts === undefined ? undefined : visibleLine(facts)));
    },
    finish() {
      const sections = open.map((section, index) => ({
        ...section,
        endLine: (open[index + 1]?.line ?? lines.length) - 1,
      }));
      return { text: lines.map((line) => `${line}\n`).join(""), sections, links };
    },
  };
  return writer;
}

/** No character is torn. */
function beginningOf(text: string, length: number): string {
  const isTorn = /[\ud800-\udbff]/u.test(text.charAt(length - 1));
  return text.slice(0, isTorn ? length - 1 : length);
}

/** Short, because a longer rule wraps in half an editor. */
function rule(title: string, facts: string | undefined): string {
  const end = facts === undefined || facts === "" ? "" : ` ${facts}`;
  return `${RULE}${title} ───${end}`;
}

/** A test for a reader: its place, which is a link, then the titles, outermost first, after `gap`. */
export function testSpans(test: TestRef, gap = "  "): readonly Span[] {
  const { file, line, name } = test;
  const place = liesInFile(test)
    ? { text: testPlace(test), target: { kind: "test" as const, file, line } }
    : file;
  return name.length === 0 ? [place] : [place, `${gap}${testTitle(test)}`];
}
