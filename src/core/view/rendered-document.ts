import { localize } from "../base/localize.ts";
import type { TestRef } from "../call/call.ts";
import { isInFile, formatTestPlace, formatTestTitle } from "../call/test-names.ts";
import { formatCount } from "../base/plural.ts";
import { makeVisible, makeVisibleLine } from "../base/visible.ts";

/** A document for users: plain text, with the sections and links that editors and terminals support. */
export interface RenderedDocument {
  /** Every line ends in "\n", including the last one. */
  readonly text: string;
  /** In order, without gaps. The lines above the first section are the header. */
  readonly sections: readonly DocumentSection[];
  readonly links: readonly DocumentLink[];
}

/** Consecutive lines under one rule. Lines are 0-based; `endLine` is inclusive. */
export interface DocumentSection {
  readonly title: string;
  readonly line: number;
  readonly endLine: number;
  /** Initially collapsed, because few users need it. */
  readonly folded?: boolean;
}

/** A link in a line. `start` and `end` are 0-based UTF-16 columns; `end` is exclusive. */
export interface DocumentLink {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly target: LinkTarget;
}

export type LinkTarget =
  /** A test's source; `file` is relative to the workspace folder, `line` is 1-based. */
  | { readonly kind: "test"; readonly file: string; readonly line?: number | undefined }
  /** The file of the recording that is shown, with the path that the caller passed. */
  | { readonly kind: "file"; readonly path: string }
  /** Another recording. */
  | { readonly kind: "recording"; readonly entry: string }
  /** The missing call with this key. */
  | { readonly kind: "missed"; readonly key: string }
  /** A URL in a message: http, https, or data. */
  | { readonly kind: "url"; readonly url: string }
  /** The calls that match all fields; without fields, all calls. `test` is a title or a file. */
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
  /** Adds one line. Line breaks and control characters in it are replaced. */
  line(...spans: readonly Span[]): void;
  /** Adds a text line by line. */
  block(text: string): void;
  /** Adds a rule that begins a section and ends the previous one. */
  section(title: string, options?: SectionOptions): void;
  finish(): RenderedDocument;
}

export interface SectionOptions {
  /** Follows the title on the rule. */
  readonly facts?: string | undefined;
  readonly folded?: boolean;
  /** The link target of the title. */
  readonly target?: LinkTarget | undefined;
}

const RULE = "── ";

export interface WriterOptions {
  /** Maximum characters of a text to show, because editors take minutes for very long texts. Defaults to no limit. */
  readonly cutAt?: number;
  /** The file that contains the full text if it is cut. */
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
        const piece = makeVisible(typeof span === "string" ? span : span.text).replaceAll("\n", "⏎");
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
      for (const line of makeVisible(shown).split("\n")) lines.push(line);
      if (shown.length === text.length) return;
      const rest = localize("… {0} more characters", formatCount(text.length - shown.length));
      if (path === undefined) return writer.line(rest);
      writer.line(`${rest}: `, {
        text: localize("open the file to see all of it"),
        target: { kind: "file", path },
      });
    },
    section(title, { facts, folded, target } = {}) {
      const shown = makeVisible(title).replaceAll("\n", " ");
      const start = RULE.length;
      if (target) links.push({ line: lines.length, start, end: start + shown.length, target });
      open.push({ title: shown, line: lines.length, ...(folded === true && { folded }) });
      lines.push(rule(shown, facts === undefined ? undefined : makeVisibleLine(facts)));
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

/** Returns the beginning of a text without splitting a surrogate pair. */
function beginningOf(text: string, length: number): string {
  const isSplit = /[\ud800-\udbff]/u.test(text.charAt(length - 1));
  return text.slice(0, isSplit ? length - 1 : length);
}

/** Returns a short rule, because a longer one wraps in a split editor. */
function rule(title: string, facts: string | undefined): string {
  const end = facts === undefined || facts === "" ? "" : ` ${facts}`;
  return `${RULE}${title} ───${end}`;
}

/** Returns a test's location as a link, then `gap` and its titles, outermost first. */
export function createTestSpans(test: TestRef, gap = "  "): readonly Span[] {
  const { file, line, name } = test;
  const place = isInFile(test)
    ? { text: formatTestPlace(test), target: { kind: "test" as const, file, line } }
    : file;
  return name.length === 0 ? [place] : [place, `${gap}${formatTestTitle(test)}`];
}
