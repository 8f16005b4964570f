import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { openDeck } from "../../src/deck/deck.ts";
import { createMemoryStore } from "../../src/storage/memory-store.ts";
import { seeded } from "../support/seeded.ts";
import { anAnswer, bodyFor, type RawAnswer } from "./raw-answer.ts";
import type { Torture } from "./torture.ts";

const AT_ONCE = 16;
/** Milliseconds until an answer is reset after its head, so that the head is read: a reset discards unread bytes. */
const HEAD_MS = 30;
/** Node's diagnostics channel for each response head that a client read. */
const HEAD_READ = "http.client.response.finish";

/** What became of a call where it was made. */
interface CallResult {
  readonly status: number;
  /** Undefined where it broke off. */
  readonly text: string | undefined;
}

export const answers: Torture = {
  name: "broken answers of a provider",
  promise: "none is given for a whole one, recorded, given to another call, or asked for twice",
  quick: 50,
  short: 2_000,
  long: 50_000,
  async run({ seed, cases }) {
    const provider = await aProvider(seed);
    const store = createMemoryStore();
    const deck = openDeck({ dir: "/nowhere", store, upstreams: { openai: provider.url }, env: {} });
    const server = await deck.listen();
    const { url } = server.admit(deck.createRun("record"));
    const failures: string[] = [];
    let next = 0;
    const client = async (): Promise<void> => {
      while (next < cases) {
        const call = next++;
        const wrong = whatIsWrong(call, await ask(url, call), provider);
        if (wrong !== undefined) failures.push(`${provider.planned(call)?.what ?? "no answer"}: ${wrong}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    const summaries = await store.list();
    for (const { entry } of summaries) {
      const { request, reply } = await store.read(entry);
      const call = callIn(Buffer.from(request.body).toString());
      const planned = provider.planned(call);
      if (planned?.what !== "damaged" && Buffer.from(reply.body).toString() !== planned?.whole)
        failures.push(
          `${planned?.what ?? "no answer"}: call ${call} was recorded otherwise than it was answered`,
        );
    }
    for (const call of provider.askedAgain())
      failures.push(
        `${provider.planned(call)?.what ?? "no answer"}: call ${call} was sent again after its answer began`,
      );
    await deck.close();
    provider.close();
    return { cases, failures, note: `${summaries.length} whole and recorded` };
  },
};

type Provider = Awaited<ReturnType<typeof aProvider>>;

function whatIsWrong(call: number, { status, text }: CallResult, provider: Provider): string | undefined {
  const planned = provider.planned(call);
  if (planned === undefined)
    return `call ${call} never reached the provider: ${status} ${text?.slice(0, 600)}`;
  if (planned.what === "damaged") return undefined;
  if (planned.whole === undefined)
    return status === 200 && text !== undefined
      ? `call ${call} was given ${text.length} characters`
      : undefined;
  if (text === planned.whole) return undefined;
  return `call ${call} was given ${status}, ${text === undefined ? "and broke off" : text.slice(0, 200)}`;
}

async function ask(url: string, call: number): Promise<CallResult> {
  const body = JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: `Call ${call}.` }] });
  const headers = { "content-type": "application/json" };
  try {
    const reply = await fetch(`${url}/openai/v1/chat/completions`, { method: "POST", headers, body });
    return { status: reply.status, text: await reply.text().catch(() => undefined) };
  } catch {
    return { status: 0, text: undefined };
  }
}

const callIn = (text: string): number => Number(/Call (\d+)\./.exec(text)?.[1]);

/** A provider that keeps its connections and answers each call once in a way of chance; asked again, as it did before. */
async function aProvider(seed: number) {
  const planned = new Map<number, RawAnswer>();
  const sockets = new Set<Socket>();
  /** Calls under way by the port of their client, and those whose answer's head was read. */
  const underWay = new Map<number, { readonly call: number; readonly headRead: () => void }>();
  const [begun, askedAgain] = [new Set<number>(), new Set<number>()];
  const note = (message: unknown): void => {
    const { socket } = (message as { readonly request: ClientRequest }).request;
    const asked = underWay.get(socket?.localPort ?? 0);
    if (asked === undefined) return;
    begun.add(asked.call);
    asked.headRead();
  };
  subscribe(HEAD_READ, note);
  const answer = async (socket: Socket, call: number): Promise<RawAnswer["after"]> => {
    const random = seeded(seed + call);
    const plan = planned.get(call) ?? anAnswer(bodyFor(call, random), random);
    planned.set(call, plan);
    if (begun.has(call)) askedAgain.add(call);
    const headRead = new Promise<void>((resolve) =>
      underWay.set(socket.remotePort ?? 0, { call, headRead: resolve }),
    );
    for (const piece of plan.pieces) {
      socket.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (plan.after === "end") socket.end();
    else if (plan.after === "reset") {
      await Promise.race([headRead, new Promise((resolve) => setTimeout(resolve, HEAD_MS))]);
      socket.resetAndDestroy();
    }
    return plan.after;
  };
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    let received = "";
    let isOver = false;
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    socket.on("data", (bytes) => {
      // An abandoned connection takes no further calls.
      if (isOver) return;
      received += bytes.toString("latin1");
      const head = received.indexOf("\r\n\r\n");
      const length = Number(/^content-length: (\d+)/im.exec(received)?.[1]);
      if (head < 0 || received.length < head + 4 + length) return;
      const call = callIn(received);
      received = "";
      void answer(socket, call).then((after) => (isOver = after !== "keep"));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    planned: (call: number) => planned.get(call),
    /** Calls that were repeated although their answer had begun; before that, the first one may not have arrived. */
    askedAgain: () => [...askedAgain],
    close(): void {
      unsubscribe(HEAD_READ, note);
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
