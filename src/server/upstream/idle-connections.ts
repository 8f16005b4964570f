import type { Agent } from "node:http";
import type { Socket } from "node:net";

/** By the clock, not by a timer: those stand still while the machine sleeps, and what is on the other end does not. */
const USABLE_MS = 30_000;

/**
 * Makes an agent drop connections that were idle for long. After sleep or a change of network they are dead. Call the
 * returned function before each request.
 */
export function leaveIdleOnes(agent: Agent): () => void {
  const idleSince = new WeakMap<Socket, number>();
  agent.on("free", (socket: Socket) => void idleSince.set(socket, Date.now()));
  return () => {
    const now = Date.now();
    for (const socket of Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? [])) {
      const since = idleSince.get(socket) ?? now;
      // If the clock was set back, the idle time is unknown.
      if (now < since || now - since > USABLE_MS) socket.destroy();
    }
  };
}

/**
 * Returns the option that keeps certificate checks on if a shell, a container, or a test run has set the variable that
 * turns them off: these connections send API keys. Otherwise returns no option, so that the editor's setting applies.
 */
export function checkInSpiteOf(env: NodeJS.ProcessEnv): { readonly rejectUnauthorized?: true } {
  return env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0" ? { rejectUnauthorized: true } : {};
}
