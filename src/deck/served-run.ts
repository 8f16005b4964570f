import channel from "node:diagnostics_channel";
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isFields } from "../core/base/lenient.ts";
import { parseMode, type Mode } from "../core/call/call.ts";

/** The run that started this process: `tapedeck run`, `serve`, or a run of the editor. */
export interface ServedRun {
  readonly mode: Mode;
  /** Sends a call to the server of the run, which answers and reports it. `onMiss` gets the message of a miss. */
  readonly answer: (request: Request, onMiss?: (message: string) => void) => Promise<Response>;
}

/** A property that the hooks set on Node's own module once every call of the process is redirected. */
const REDIRECTED = Symbol.for("tapedeck.redirected");
// Tests replace the global function.
const send = globalThis.fetch;

/** Finds the run whose server answers from `dir`; undefined if there is none, or if the hooks are not in this process. */
export async function findServedRun(dir: string): Promise<ServedRun | undefined> {
  const url = process.env["TAPEDECK_URL"];
  if (!url || !Object.hasOwn(channel, REDIRECTED) || typeof send !== "function") return undefined;
  const served: unknown = await send(`${url}/@guard/mode`).then(
    (response) => response.json(),
    () => undefined,
  );
  if (!isFields(served) || typeof served["dir"] !== "string") return undefined;
  const mode = parseMode(served["mode"]);
  if (mode === undefined || realFolder(served["dir"]) !== realFolder(dir)) return undefined;
  return { mode, answer };
}

async function answer(request: Request, onMiss?: (message: string) => void): Promise<Response> {
  const { url, method, headers, signal, redirect } = request;
  const bytes = await request.arrayBuffer();
  const body = bytes.byteLength === 0 ? {} : { body: bytes };
  const response = await send(url, { method, headers, signal, redirect, ...body });
  if (onMiss !== undefined && response.headers.get("x-tapedeck-outcome") === "miss")
    onMiss(readMessage(await response.clone().text()));
  return response;
}

/** Reads the message of an error in any provider's format. */
function readMessage(text: string): string {
  const [, message] = /"(?:message|error)":\s*("(?:[^"\\]|\\.)*")/.exec(text) ?? [];
  return message === undefined ? text : (JSON.parse(message) as string);
}

/** The folder itself may not exist yet. The native call returns one spelling where case does not matter. */
function realFolder(dir: string): string {
  try {
    return join(realpathSync.native(dirname(dir)), basename(dir));
  } catch {
    return dir;
  }
}
