import { onTestFinished } from "vitest";
import { WebSocket, type ClientOptions } from "ws";

/** A client of a WebSocket that keeps everything that it receives. */
export interface SocketClient {
  readonly ws: WebSocket;
  /** Frames in order: texts, bytes in Base64, and pings of the provider. */
  readonly frames: readonly string[];
  send(message: object): void;
  /** Resolves with the first frame that includes a text, whenever it arrives. */
  until(text: string): Promise<string>;
  /** Closes, and resolves when the server has answered. */
  close(code?: number): Promise<string>;
  /** Resolves with the code and reason of the end: "1000 OK". */
  readonly closed: Promise<string>;
}

export async function aSocketClient(
  url: string,
  { protocols = [], ...options }: ClientOptions & { readonly protocols?: string[] } = {},
): Promise<SocketClient> {
  const ws = new WebSocket(url.replace(/^http/, "ws"), protocols, options);
  onTestFinished(() => ws.terminate());
  const frames: string[] = [];
  const waiting = new Set<() => void>();
  const note = (frame: string): void => {
    frames.push(frame);
    for (const look of waiting) look();
  };
  ws.on("message", (data: Buffer, isBinary) =>
    note(isBinary ? `base64 ${data.toString("base64")}` : data.toString()),
  );
  ws.on("ping", (data: Buffer) => data.toString().startsWith("tapedeck ") || note(`ping ${data.toString()}`));
  const closed = new Promise<string>((resolve) =>
    ws.once("close", (code, reason: Buffer) => resolve(`${code} ${reason.toString()}`.trim())),
  );
  await new Promise<void>((resolve, reject) => {
    ws.once("open", resolve);
    ws.once("error", reject);
    // The status alone does not explain a failure.
    ws.once("unexpected-response", (request, response) => {
      let text = "";
      response.on("data", (bytes: Buffer) => (text += bytes.toString()));
      response.once("end", () => {
        reject(new Error(`Unexpected server response: ${response.statusCode}\n${text}`));
        request.destroy();
      });
    });
  });
  return {
    ws,
    frames,
    closed,
    send: (message) => ws.send(JSON.stringify(message)),
    until: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = frames.find((frame) => frame.includes(text));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
        void closed.then((end) =>
          reject(new Error(`closed with ${end} before ${text}:\n${frames.join("\n")}`)),
        );
      }),
    close(code = 1000) {
      ws.close(code, "OK");
      return closed;
    },
  };
}
