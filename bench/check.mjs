// Measures `check`, `list`, `prune`, and an import with 10,000 recordings of every size: short and long JSON replies,
// streams, and tool calls.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chatStream } from "./calls.mjs";
import { writeMany } from "./many-recordings.mjs";

const CLI = join(import.meta.dirname, "..", "dist", "cli.js");

/** Returns a row per command: its time as a multiple of reading and parsing all files once. */
export function checkRows(home, count) {
  const project = join(home, "checked");
  const dir = join(project, ".tapedeck");
  writeMany(dir, count, realisticReply);
  noteWholeRun(dir);
  const base = readingTime(dir);
  const har = join(home, "checked.har");
  // The first command stores the facts of all recordings.
  const commands = [
    ["list, nothing noted", ["list"]],
    ["list", ["list"]],
    ["prune", ["prune", "--dry-run"]],
    ["check", ["check"]],
    ["export of a HAR", ["export", "--to", "har", "--out", har]],
    ["import of the HAR", ["import", har, "--dir", join(project, ".imported")]],
  ];
  return commands.map(([name, args]) => {
    const ms = commandTime(args, project);
    const title = `tapedeck ${name}, ${count.toLocaleString("en")} recordings, times reading and parsing them (and s)`;
    return [title, `${(ms / base).toFixed(1)} (${(ms / 1000).toFixed(1)})`, GOALS[name]];
  });
}

/** Bounds for 10,000 recordings. */
const GOALS = {
  list: "at most 1.2 s",
  prune: "at most 1.2 s",
  check: "at most 3 s",
  "import of the HAR": "at most 8 s",
};

/** Writes usage data; without it, no recording is known to be unused, and prune ends at once. */
function noteWholeRun(dir) {
  const usage = { version: 4, since: 1, runs: [{ id: "bench", at: Date.now() }], tests: [], entries: [] };
  mkdirSync(join(dir, ".local"), { recursive: true });
  writeFileSync(join(dir, ".local", "usage.json"), JSON.stringify(usage));
}

/** Every fourth is a stream, as long as answers are; every fifth calls a tool with JSON in a string. */
function realisticReply(index, reply, sentence) {
  if (index % 4 === 0)
    return {
      status: 200,
      contentType: "text/event-stream",
      events: eventsOf(chatStream(index, 20 + (index % 160))),
    };
  const [choice] = reply.choices;
  const content = Array.from({ length: 1 + (index % 12) }, sentence).join(" ");
  const call = { name: "look_up", arguments: JSON.stringify({ id: index, why: sentence() }) };
  const tools = index % 5 === 0 && {
    tool_calls: [{ id: `call_${index}`, type: "function", function: call }],
  };
  const message = { ...choice.message, content, ...tools };
  return {
    status: 200,
    contentType: "application/json",
    body: { ...reply, choices: [{ ...choice, message }] },
  };
}

function eventsOf(stream) {
  return stream
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => event.slice("data: ".length))
    .map((data) => (data === "[DONE]" ? { text: data } : { data: JSON.parse(data) }));
}

/** Milliseconds to read and parse all files of a folder. */
export function readingTime(dir) {
  const begun = performance.now();
  for (const name of readdirSync(dir, { recursive: true }))
    if (name.endsWith(".json")) JSON.parse(readFileSync(join(dir, name), "utf8"));
  return performance.now() - begun;
}

function commandTime(args, cwd) {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    cwd,
    encoding: "utf8",
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(`${args[0]}: ${stderr}`);
  return performance.now() - begun;
}
