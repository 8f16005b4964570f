// A separate process that edits recordings by hand and requests each at once, while others keep calling.
// Arguments: a file with { url, calls: [{ path, body, file }], edits }. Prints the number of stale answers.
import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";

const { url, calls, edits } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const agent = new Agent({ keepAlive: true });
const others = { busy: true, answered: 0 };
let stale = 0;

/**
 * @param {{ path: string, body: string }} call
 * @returns {Promise<string>}
 */
function ask({ path, body }) {
  return new Promise((resolve, reject) => {
    const call = request(
      `${url}${path}`,
      { method: "POST", agent, headers: { "content-type": "application/json" } },
      (reply) => {
        let text = "";
        reply.setEncoding("utf8").on("data", (chunk) => (text += chunk));
        reply.on("end", () => resolve(text));
      },
    );
    call.on("error", reject);
    call.end(body);
  });
}

/** @param {number} from */
async function askAllTheTime(from) {
  for (let next = from; others.busy; next += 1) {
    await ask(calls[next % calls.length]);
    others.answered += 1;
  }
}

const asking = Array.from({ length: 24 }, (_, index) => askAllTheTime(index * 5));
for (let edit = 0; edit < edits; edit += 1) {
  const call = calls[(edit * 7) % calls.length];
  await ask(call);
  const mark = `edit ${edit}.`;
  writeFileSync(call.file, readFileSync(call.file, "utf8").replace(/first\.|edit \d+\./, mark));
  if (!(await ask(call)).includes(mark)) stale += 1;
}
others.busy = false;
await Promise.all(asking);
agent.destroy();
console.log(JSON.stringify({ edits, stale, answered: others.answered }));
