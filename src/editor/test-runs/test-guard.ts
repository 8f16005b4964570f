import { spawn } from "node:child_process";

/** What the guard does: when its input ends, because nobody holds it any more, it ends the group whose leader it is told. */
const SCRIPT = `
const [, leader] = process.argv;
process.stdin.resume().once("end", () => {
  if (process.platform === "win32") {
    require("node:child_process").spawnSync("taskkill", ["/pid", leader, "/T", "/F"], { stdio: "ignore" });
  } else {
    try { process.kill(-Number(leader), "SIGKILL"); } catch {}
  }
});
`;

/**
 * Ends a group of processes as soon as this process is gone, also where it was killed and could do nothing itself.
 * The function given back takes the guard away.
 */
export function guardGroup(leader: number): () => void {
  const { NODE_OPTIONS: _, ...environment } = process.env;
  const guard = spawn(process.execPath, ["-e", SCRIPT, String(leader)], {
    env: { ...environment, ELECTRON_RUN_AS_NODE: "1" }, // in a desktop VS Code this program is Electron
    stdio: ["pipe", "ignore", "ignore"],
    detached: true, // what ends us does not end it
    windowsHide: true,
  });
  guard.on("error", () => {}); // without it the test runs all the same
  guard.stdin.on("error", () => {});
  guard.unref();
  return () => void guard.kill("SIGKILL");
}
