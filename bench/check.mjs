// What `check`, `list` and `prune` take in a folder of 10,000 recordings of every size: short and long JSON replies,
// streams, calls of tools.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chatStream } from "./calls.mjs";
import { writeMany } from "./many-recordings.mjs";

const CLI = join(import.meta.dirname, "..", "dist", "cli.js");

/** A row by command: its time over that of reading and parsing all files once. */
export function checkRows(home, count) {
  const project = join(home, "checked");
  const dir = join(project, ".tapedeck");
  writeMany(dir, count, realisticReply);
  noteWholeRun(dir);
  const base = readingTime(dir);
  return ["list", "prune", "check"].map((command) => {
    const ms = commandTime(command, project);
    const title = `tapedeck ${command} of ${count.toLocaleString("en")}, times reading and parsing them (and s)`;
    const figure = `${(ms / base).toFixed(1)} (${(ms / 1000).toFixed(1)})`;
    return [title, figure, command === "check" ? "goal: under 10" : undefined];
  });
}

/** Without one, nothing is known to be unused, and prune ends at once. */
function noteWholeRun(dir) {
  const usage = { version: 3, since: 1, runs: [["bench", Date.now()]], tests: [], entries: {} };
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

function readingTime(dir) {
  const begun = performance.now();
  for (const name of readdirSync(dir, { recursive: true }))
    if (name.endsWith(".json")) JSON.parse(readFileSync(join(dir, name), "utf8"));
  return performance.now() - begun;
}

function commandTime(command, cwd) {
  const args = [CLI, command, ...(command === "prune" ? ["--dry-run"] : [])];
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8", maxBuffer: 1e9 });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  return performance.now() - begun;
}
