import { join } from "node:path";
import type { Recording } from "../../src/core/cassette/recording.ts";
import { createFolderStore } from "../../src/storage/folder/folder-store.ts";
import { ADDRESS, ANSWERED, ASKED } from "../support/other-recorders.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

interface FileReport {
  readonly file: string;
  readonly format: string | null;
  readonly imported: readonly { readonly entry: string }[];
  readonly present: readonly unknown[];
  readonly skipped: readonly { readonly reason: string }[];
}

export interface Import {
  readonly cwd: string;
  readonly code: number | null;
  readonly reports: readonly FileReport[];
  /** The recordings that were made, in the order of the calls. */
  readonly recordings: readonly Recording[];
  /** The reasons of all skipped calls. */
  readonly skipped: readonly string[];
}

const SETTINGS = "tapedeck.jsonc";

/** Imports the files of a new project, except for its settings. */
export async function importFiles(
  files: Readonly<Record<string, string | Uint8Array | object>>,
  ...options: readonly string[]
): Promise<Import> {
  const texts = Object.entries(files).map(([name, file]) => {
    const isText = typeof file === "string" || file instanceof Uint8Array;
    return [name, isText ? file : JSON.stringify(file)] as const;
  });
  const cwd = aProject(Object.fromEntries(texts));
  const names = Object.keys(files).filter((name) => name !== SETTINGS);
  return importIn(cwd, ...names, ...options);
}

/** Imports files of a project. */
export async function importIn(cwd: string, ...args: readonly string[]): Promise<Import> {
  const { code, stdout } = await tapedeck(["import", ...args, "--json"], { cwd });
  const { reports } = JSON.parse(stdout) as Pick<Import, "reports">;
  const store = createFolderStore(join(cwd, ".tapedeck"));
  const entries = reports.flatMap(({ imported }) => imported.map(({ entry }) => entry));
  const recordings = await Promise.all(entries.map((entry) => store.read(entry)));
  const skipped = reports.flatMap((report) => report.skipped.map(({ reason }) => reason));
  return { cwd, code, reports, recordings, skipped };
}

export interface RecordedCall {
  readonly url?: string;
  readonly method?: string;
  readonly asked?: unknown;
  readonly answered?: unknown;
  readonly status?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly replyHeaders?: Readonly<Record<string, string>>;
}

const JSON_TYPE = { "content-type": "application/json" };
const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** A call as VCR's recorders write it. */
export function anInteraction(call: RecordedCall = {}) {
  const { url = ADDRESS, method = "POST", asked = ASKED, answered = ANSWERED } = call;
  const { status = { code: 200 }, headers = {}, replyHeaders = JSON_TYPE } = call;
  return {
    request: { method, uri: url, body: textOf(asked), headers },
    response: { status, headers: replyHeaders, body: { string: textOf(answered) } },
  };
}

/** An archive of calls as browsers write it, or the named creator. */
export function anArchive(calls: readonly RecordedCall[], name = "WebInspector") {
  const entries = calls.map((call) => {
    const { url = ADDRESS, method = "POST", asked = ASKED, answered = ANSWERED } = call;
    const { status = 200, headers = {}, replyHeaders = JSON_TYPE } = call;
    const postData = { mimeType: headers["content-type"] ?? "application/json", text: textOf(asked) };
    const pairs = Object.entries(headers).map(([header, value]) => ({ name: header, value }));
    const content = { mimeType: replyHeaders["content-type"], text: textOf(answered) };
    return {
      request: { method, url, headers: pairs, ...(method === "POST" && { postData }) },
      response: { status, headers: [], content },
    };
  });
  return { log: { creator: { name }, entries } };
}
