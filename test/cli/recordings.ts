import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { send } from "../support/http-client.ts";
import { anUpstream } from "./an-upstream.ts";
import { aProject, serving } from "./tapedeck.ts";
import { filesBelow } from "../support/files-below.ts";

export interface RecordedProject {
  readonly cwd: string;
  /** The cassette folder. */
  readonly dir: string;
  /** Paths relative to the cassette folder, in the order in which they were recorded. */
  readonly entries: readonly string[];
}

/** A call of a project: the user's text, and the test that sends it. */
export interface ProjectCall {
  readonly text: string;
  readonly provider?: "openai" | "anthropic";
  readonly stream?: boolean;
  /** OpenAI model; default: a small one. */
  readonly model?: string;
  readonly temperature?: number;
  readonly test?: { readonly file: string; readonly name: readonly string[]; readonly line?: number };
}

/** A project whose recordings the program itself made, one call after the other, through a stub of the providers. */
export async function aRecordedProject(
  calls: readonly ProjectCall[],
  files: Readonly<Record<string, string>> = {},
): Promise<RecordedProject> {
  const upstream = await anUpstream();
  const cwd = aProject(files);
  const served = await serving(["--mode", "record", ...upstream.options], { cwd });
  const entries: string[] = [];
  for (const said of calls) entries.push(await say(served.ready.url, cwd, said));
  await served.end();
  return { cwd, dir: join(cwd, ".tapedeck"), entries };
}

/** Makes a call and gives the entry that it was answered from or recorded as. */
export async function say(url: string, cwd: string, said: ProjectCall): Promise<string> {
  const { text, provider = "openai", stream = false, model: named = "gpt-4o-mini", temperature, test } = said;
  const path = provider === "openai" ? "/v1/chat/completions" : "/v1/messages";
  const model = provider === "openai" ? { model: named } : { model: "claude-sonnet-4", max_tokens: 9 };
  const body = {
    ...model,
    ...(stream && { stream }),
    temperature,
    messages: [{ role: "user", content: text }],
  };
  const reply = await send(`${url}/${provider}${path}`, {
    headers: { "content-type": "application/json", ...attribution(cwd, test) },
    body: JSON.stringify(body),
  });
  return String(reply.trailers["x-tapedeck-entry"] ?? reply.headers["x-tapedeck-entry"]);
}

function attribution(cwd: string, test: ProjectCall["test"]): Record<string, string> {
  if (test === undefined) return {};
  const value = { v: 1, runner: "vitest", ...test, file: join(cwd, test.file) };
  return { "x-tapedeck-test": encodeURIComponent(JSON.stringify(value)) };
}

/** A program that makes these calls of a project, each with its test, through the address that a run gives it. */
export function callsAsProgram(calls: readonly ProjectCall[]): string {
  return `for (const { text, model = "gpt-4o-mini", test, temperature } of ${JSON.stringify(calls)}) {
  const value = test && { v: 1, runner: "vitest", ...test, file: process.cwd() + "/" + test.file };
  await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(value && { "x-tapedeck-test": encodeURIComponent(JSON.stringify(value)) }),
    },
    body: JSON.stringify({ model, temperature, messages: [{ role: "user", content: text }] }),
  });
}`;
}

/** Lets all recordings of a project have been made at another time. */
export function recordedOn(cwd: string, date: Date): void {
  const calls = join(cwd, ".tapedeck", "calls");
  for (const name of filesBelow(calls)) {
    const text = readFileSync(join(calls, name), "utf8");
    writeFileSync(
      join(calls, name),
      text.replace(/"recordedAt": "[^"]*"/, `"recordedAt": "${date.toISOString()}"`),
    );
  }
}

/** The text of all files below a folder; empty if there is none. */
export const textsBelow = (dir: string): string =>
  existsSync(dir)
    ? filesBelow(dir)
        .map((file) => readFileSync(join(dir, file), "utf8"))
        .join("\n")
    : "";
