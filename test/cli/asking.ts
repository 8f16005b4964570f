/** A file of a project: asks for a chat about each of its arguments, and prints the status and the error, if any. */
export const ASKING = {
  "ask.mjs": `
for (const content of process.argv.slice(2)) {
  const reply = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content }] }),
  });
  console.log(reply.status, (await reply.json()).error?.message ?? "");
}
`,
};

/** The command of a `run` that asks these questions. */
export const ask = (...questions: string[]) => ["--", process.execPath, "ask.mjs", ...questions];

/** Returns the statuses that the program printed; the lines of an error follow them. */
export function statusesIn(stdout: string): readonly string[] {
  return stdout
    .trimEnd()
    .split("\n")
    .filter((line) => /^\d{3}(?: |$)/.test(line))
    .map((line) => line.slice(0, 3));
}
