// npm run demo: a real VS Code with Tapedeck on a copy of the sample workspace, in your browser. `--check` starts it,
// checks that the workbench answers, and stops. `--no-open` opens no browser.
import { spawn } from "node:child_process";
import { startDemoHost } from "./host/demo-host.mjs";
import { demoGuide } from "./host/paths.mjs";

const check = process.argv.includes("--check");
const started = Date.now();
let stopping = false;
const demo = await startDemoHost({ beside: [demoGuide] });
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.once(signal, () => {
    stopping = true;
    void demo.close();
  });
}

console.log(`
Tapedeck is running in VS Code (ready in ${((Date.now() - started) / 1000).toFixed(1)} s). Open this address in a browser on this machine:

  ${demo.url}

The workspace is a copy, ${demo.folder}: change what you like.
The practice upstream stands in for OpenAI and Anthropic at ${demo.upstream.origin}; no key is needed.
Stop with Ctrl+C.
`);

if (check) {
  const status = await visit(demo.url);
  stopping = true;
  await demo.close();
  console.log(`The workbench answered with ${status}.`);
  process.exit(status === 200 ? 0 : 1);
}
if (hasDisplay() && !process.argv.includes("--no-open")) openInBrowser(demo.url);
await demo.ended;
if (!stopping) console.error("The VS Code server ended unexpectedly.");
process.exit(stopping ? 0 : 1);

/** The first answer sets a cookie and sends the browser on. @param {string} url */
async function visit(url) {
  const first = await fetch(url, { redirect: "manual" });
  const next = first.headers.get("location");
  if (!next) return first.status;
  const cookie = first.headers.getSetCookie().map((line) => line.split(";")[0]);
  return (await fetch(new URL(next, url), { headers: { cookie: cookie.join("; ") } })).status;
}

function hasDisplay() {
  if (process.env["CI"]) return false;
  if (process.platform !== "linux") return true;
  return Boolean(process.env["DISPLAY"] ?? process.env["WAYLAND_DISPLAY"]);
}

/** @param {string} url */
function openInBrowser(url) {
  /** @type {Readonly<Partial<Record<NodeJS.Platform, string[]>>>} */
  const openers = { darwin: ["open"], win32: ["rundll32", "url.dll,FileProtocolHandler"] };
  const [command = "", ...args] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  child.once("error", () => {}); // the address is printed above
  child.unref();
}
