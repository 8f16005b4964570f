// What the VS Code server asks of its log writer: one file a logger, each line written at once, never rotated.
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

const LEVELS = /** @type {const} */ (["trace", "debug", "info", "warn", "error", "critical"]);

export function setFlushOn() {}

/** @param {string} _name @param {string} file */
export async function createAsyncRotatingLogger(_name, file) {
  mkdirSync(dirname(file), { recursive: true });
  let lowest = LEVELS.indexOf("info");
  let isPlain = false;
  const write = (/** @type {(typeof LEVELS)[number]} */ level) => (/** @type {string} */ text) => {
    if (LEVELS.indexOf(level) < lowest) return;
    appendFileSync(file, isPlain ? text : `${timeNow()} [${level === "warn" ? "warning" : level}] ${text}\n`);
  };
  return {
    ...Object.fromEntries(LEVELS.map((level) => [level, write(level)])),
    getLevel: () => lowest,
    setLevel: (/** @type {number} */ level) => void (lowest = level),
    setPattern: () => void (isPlain = false),
    clearFormatters: () => void (isPlain = true),
    flush() {},
    drop() {},
  };
}

/** As in the logs of VS Code: local, to the millisecond. */
function timeNow() {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000)
    .toISOString()
    .slice(0, -1)
    .replace("T", " ");
}
