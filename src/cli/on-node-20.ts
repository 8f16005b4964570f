import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import type * as Crypto from "node:crypto";
import type * as Os from "node:os";
import type * as V8 from "node:v8";
import type * as Vm from "node:vm";

// Other versions of Node and `--version` do without the modules that are required later.
const require = createRequire(import.meta.filename);

/** The names that a CommonJS module may use. */
const GIVEN = ["exports", "require", "module", "__filename", "__dirname"];
const HEAD = `(function(${GIVEN.join(",")}){`;
/** Bytes of a kept file before the code: a digest, and the number of files that its process loaded. */
const DIGEST = 32;
const HEADER = DIGEST + 4;

/**
 * Node 20 optimizes each function early, which takes a sixth of the CPU of a suite's run. Later versions wait longer. Other
 * commands repeat the same for each of many files, which early optimization speeds up. V8 uses compiled code only under
 * the settings with which it was compiled: Node's modules have theirs for the default.
 */
const DEFAULT_BUDGET = "--interrupt-budget=67584";
const IS_SUITE = /^(?:run|serve)$/.test(process.argv[2] ?? "");
const OWN_BUDGET = IS_SUITE ? "--interrupt-budget=600000" : DEFAULT_BUDGET;
/** Modules that are loaded under the default setting, by this file or by Node when a server listens. */
const LOADED_FIRST = ["node:cluster", "node:crypto", "node:dns"];

/** A file of the program that runs in this process. */
interface LoadedScript {
  readonly source: Buffer;
  readonly script: Vm.Script;
  /** Where its compiled code is kept, and how many files the process loaded that kept it. */
  readonly kept: string;
  readonly keptBy: number;
}

/**
 * Requires `main` and the files beside it that it requires, as Node does, and keeps their compiled code for the next process
 * in the folder for temporary files. Node 22.1 and later do this themselves.
 */
export function requireOnNode20(main: string): unknown {
  const { Script } = require("node:vm") as typeof Vm;
  const { setFlagsFromString } = require("node:v8") as typeof V8;
  for (const name of LOADED_FIRST) require(name);
  setFlagsFromString(OWN_BUDGET);
  const folder = openFolder();
  const modules = new Map<string, { exports: object }>();
  const loaded: LoadedScript[] = [];
  process.once("exit", () => {
    // A process that loads more files compiles more functions of each.
    for (const file of loaded) if (file.keptBy < loaded.length) keep(file, loaded.length);
  });
  return load(main);

  function load(file: string): object {
    const known = modules.get(file);
    if (known !== undefined) return known.exports;
    const source = readFileSync(file);
    const kept = folder === undefined ? undefined : join(folder, `${basename(file)}.bin`);
    const found = kept === undefined ? undefined : readKept(kept, source);
    const script = new Script(`${HEAD}${source.toString("latin1")}\n})`, {
      filename: file,
      columnOffset: -HEAD.length,
      ...(found && { cachedData: found.code }),
    });
    const keptBy = found === undefined || script.cachedDataRejected === true ? 0 : found.keptBy;
    if (kept !== undefined) loaded.push({ source, script, kept, keptBy });
    const made = { exports: {} };
    modules.set(file, made);
    const requireOther = createRequire(file);
    const requireAny = (id: string): unknown => {
      if (id.startsWith("./")) return load(join(dirname(file), id));
      setFlagsFromString(DEFAULT_BUDGET);
      try {
        return requireOther(id);
      } finally {
        setFlagsFromString(OWN_BUDGET);
      }
    };
    const run = script.runInThisContext() as (...given: readonly unknown[]) => void;
    run(made.exports, requireAny, made, file, dirname(file));
    return made.exports;
  }
}

/** A folder in which only this user can put code, or `undefined`. */
function openFolder(): string | undefined {
  const { tmpdir } = require("node:os") as typeof Os;
  const uid = process.getuid?.();
  const own = join(tmpdir(), `tapedeck-compiled-${uid ?? "user"}`);
  const folder = join(own, `${process.version}-${process.arch}-${IS_SUITE ? "suite" : "files"}`);
  try {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    const { uid: owner, mode } = lstatSync(own);
    if (uid !== undefined && (owner !== uid || (mode & 0o077) !== 0)) return undefined;
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch {
    return undefined;
  }
}

function readKept(
  file: string,
  source: Buffer,
): { readonly code: Buffer; readonly keptBy: number } | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return undefined;
  }
  if (bytes.length <= HEADER) return undefined;
  const code = bytes.subarray(HEADER);
  return bytes.subarray(0, DIGEST).equals(digestOf(source, code))
    ? { code, keptBy: bytes.readUInt32LE(DIGEST) }
    : undefined;
}

/** V8 compares only the length of the source, and crashes if the code is damaged. */
function digestOf(source: Buffer, code: Buffer): Buffer {
  const { createHash } = require("node:crypto") as typeof Crypto;
  return createHash("sha256").update(source).update(code).digest();
}

function keep({ source, script, kept }: LoadedScript, files: number): void {
  const code = script.createCachedData();
  const count = Buffer.alloc(HEADER - DIGEST);
  count.writeUInt32LE(files);
  const written = `${kept}.${process.pid}`;
  try {
    writeFileSync(written, Buffer.concat([digestOf(source, code), count, code]), { mode: 0o600 });
    renameSync(written, kept);
  } catch {
    // The next process compiles again.
  }
}
