import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect, type Socket } from "node:net";
import { openDeck } from "../../src/deck/deck.ts";
import { createMemoryStore } from "../../src/storage/memory-store.ts";
import { aRecording } from "../support/a-recording.ts";
import { seeded } from "../support/seeded.ts";
import { mutate, type RawRequest } from "./raw-request.ts";
import type { Torture } from "./torture.ts";

const AT_ONCE = 32;
/** What ends a request that never is answered: nothing else takes minutes. */
const PATIENCE_MS = 300_000;

export const requests: Torture = {
  name: "mutated requests to the server",
  promise: "none is let in that should not be, none brings it down",
  quick: 100,
  short: 4_000,
  long: 100_000,
  async run({ seed, cases }) {
    const store = createMemoryStore();
    const recording = aRecording();
    await store.save(recording);
    const deck = openDeck({ dir: "/nowhere", store });
    const server = await deck.listen();
    const sockets = openSocketsOf(server.port);
    const { token } = server.admit(deck.createRun("strict"), TOKEN);
    const original: RawRequest = {
      method: "POST",
      target: `/${token}/openai${recording.request.path}`,
      headers: [
        ["Host", `127.0.0.1:${server.port}`],
        ["Content-Type", "application/json"],
        ["Content-Length", String(recording.request.body.byteLength)],
        ["Connection", "close"],
      ],
      body: Buffer.from(recording.request.body).toString("latin1"),
    };
    const random = seeded(seed);
    const failures: string[] = [];
    const outcomes = new Map<string, number>();
    let left = cases;
    const client = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const { what, bytes, mustBeRefused } = mutate(original, random);
        const received = await sendRaw(server.port, bytes);
        const outcome = received === undefined ? "no end" : outcomeOf(received);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        const wrong = whatIsWrong({ outcome, bytes, mustBeRefused, port: server.port });
        if (wrong !== undefined) failures.push(`${what}: ${wrong}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    const { bytes } = mutate(original, () => 0.999_999, "nothing");
    if (outcomeOf((await sendRaw(server.port, bytes)) ?? "") !== "replayed")
      failures.push("afterwards the call itself was not answered any more");
    failures.push(...(await sockets.left()));
    await deck.close();
    const note = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(", ");
    return { cases, failures, note };
  },
};

const TOKEN = "Torture-token_0123456789abcdefghij";

/** Returns everything the server sends until it closes; undefined if it does not close. */
function sendRaw(port: number, bytes: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    const timer = setTimeout(() => {
      socket.destroy();
      resolve(undefined);
    }, PATIENCE_MS);
    socket.on("data", (chunk) => (received += chunk.toString("latin1")));
    socket.on("error", () => {});
    socket.once("close", () => {
      clearTimeout(timer);
      resolve(received);
    });
    socket.end(bytes, "latin1");
  });
}

/** The answer to bytes that begin as TLS does, by chance. */
// eslint-disable-next-line no-control-regex
const TLS_ALERT = /^\x15\x03/;

function outcomeOf(received: string): string {
  if (received === "" || TLS_ALERT.test(received)) return "closed without a reply";
  return /^x-tapedeck-outcome: (\w+)\r$/im.exec(received)?.[1] ?? "reply without an outcome";
}

interface Answered {
  readonly outcome: string;
  readonly bytes: string;
  readonly mustBeRefused: boolean;
  readonly port: number;
}

function whatIsWrong({ outcome, bytes, mustBeRefused, port }: Answered): string | undefined {
  if (outcome === "reply without an outcome" || outcome === "no end") return outcome;
  if (outcome === "refused" || outcome === "closed without a reply") return undefined;
  if (mustBeRefused) return `let in (${outcome})`;
  const head = bytes.split("\r\n\r\n", 1)[0] ?? "";
  const isOurs =
    head.includes(`/${TOKEN}/`) &&
    new RegExp(`^host:\\s*(127\\.0\\.0\\.1|localhost):${port}\\s*$`, "im").test(head);
  return isOurs && !/^origin\s*:/im.test(head) ? undefined : `let in (${outcome}) without token or Host`;
}

/** Returns the server's open sockets, without those of other servers in this process. */
function openSocketsOf(port: number) {
  const open = new Set<Socket>();
  const note = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    if (socket.localPort !== port) return;
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  };
  subscribe(ACCEPTED, note);
  return {
    /** Returns connections that are still open after every client left; the server keeps listening. */
    async left(): Promise<readonly string[]> {
      for (let look = 0; look < 6_000 && open.size > 0; look += 1)
        await new Promise((resolve) => setTimeout(resolve, 50));
      unsubscribe(ACCEPTED, note);
      return open.size > 0 ? [`${open.size} sockets were left open`] : [];
    },
  };
}

const ACCEPTED = "net.server.socket";
