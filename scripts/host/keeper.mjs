// Runs one command for as long as its parent lives: `keeper.mjs HOME LOG COMMAND ARGUMENT…`. When standard input ends,
// also because the parent was killed, it stops the command's process group and deletes HOME. Prints one JSON line with the
// server's port, or with the reason why the server ended before it had one.
import { spawn, spawnSync } from "node:child_process";
import { createWriteStream, rmSync } from "node:fs";

const [home, logFile, command, ...args] = process.argv.slice(2);
if (!home || !logFile || !command) throw new Error("usage: keeper.mjs HOME LOG COMMAND ARGUMENT…");

const windows = process.platform === "win32";
const log = createWriteStream(logFile);
const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], detached: !windows });
const exited = new Promise((resolve) => {
  child.once("error", (error) => resolve(error.message));
  child.once("exit", (code, signal) => resolve(signal ?? code));
});

let told = false;
let tail = "";
for (const stream of [child.stdout, child.stderr]) {
  stream.pipe(log, { end: false });
  stream.on("data", (chunk) => {
    if (told) return;
    tail = (tail + chunk).slice(-10_000);
    const match = /Extension host agent listening on (\d+)/.exec(tail);
    if (match) tell({ port: Number(match[1]) });
  });
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => void stop());
process.stdin.resume();
process.stdin.once("end", () => void stop());
process.stdin.once("error", () => void stop());
void follow();

async function follow() {
  tell({ ended: String(await exited) });
  await stop();
}

/** @param {object} news */
function tell(news) {
  if (told) return;
  told = true;
  process.stdout.on("error", () => {}); // the reader may be gone
  process.stdout.write(`${JSON.stringify(news)}\n`);
}

let stopping = false;
async function stop() {
  if (stopping) return;
  stopping = true;
  signalGroup("SIGTERM");
  await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 3_000))]);
  signalGroup("SIGKILL");
  log.destroy();
  rmSync(home ?? "", { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  process.exit(0);
}

/** @param {NodeJS.Signals} signal */
function signalGroup(signal) {
  if (child.pid === undefined) return;
  try {
    if (windows) spawnSync("taskkill", ["/pid", String(child.pid), "/T", "/F"], { stdio: "ignore" });
    else process.kill(-child.pid, signal);
  } catch {
    // the group is gone
  }
}
