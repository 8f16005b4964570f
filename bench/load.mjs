// Puts load on a server over keep-alive connections, with so little work that the server is measured.
import { connect } from "node:net";

/**
 * Sends the requests in turn over `connections` sockets, one at a time on each, for `seconds`.
 * `from.next` continues counting, so that the next load starts where this one ended. The requests end before `last`.
 * Returns replies per second and the median latency in milliseconds.
 */
export async function load({
  port,
  requests,
  from = { next: 0 },
  connections = 64,
  seconds = 3,
  last = Infinity,
}) {
  const end = performance.now() + seconds * 1000;
  const latencies = [];
  const begun = performance.now();
  const one = () =>
    new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      socket.setNoDelay(true);
      let sentAt = 0;
      let reply;
      const send = () => {
        if (performance.now() > end || from.next >= last) {
          socket.end(resolve);
          return;
        }
        reply = replyReader();
        sentAt = performance.now();
        socket.write(requests[from.next++ % requests.length]);
      };
      socket.on("connect", send);
      socket.on("error", reject);
      socket.on("data", (chunk) => {
        try {
          if (!reply(chunk)) return;
        } catch (error) {
          reject(error);
          return;
        }
        latencies.push(performance.now() - sentAt);
        send();
      });
    });
  await Promise.all(Array.from({ length: connections }, one));
  latencies.sort((a, b) => a - b);
  const took = (performance.now() - begun) / 1000;
  return { perSecond: latencies.length / took, medianMs: latencies[latencies.length >> 1] };
}

/** Does the same with `fetch`, as SDKs use it: each body is read as JSON. Returns replies per second. */
export async function loadByFetch({ port, path, bodies, from, connections = 64, last }) {
  const headers = { "content-type": "application/json", authorization: "Bearer sk-bench" };
  const first = from.next;
  const begun = performance.now();
  const one = async () => {
    while (from.next < last) {
      const body = bodies[from.next++ % bodies.length];
      const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
      if (reply.status !== 200) throw new Error((await reply.text()).slice(0, 300));
      await reply.json();
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  return { perSecond: ((last - first) * 1000) / (performance.now() - begun) };
}

const LAST_CHUNK = "0\r\n\r\n";

/** Receives each piece of one reply and returns whether it is complete, by its length or its last chunk. */
function replyReader() {
  let head = "";
  let missing;
  let tail = "";
  const read = (length) => (missing -= length) <= 0;
  const readChunked = (bytes) => {
    tail = (tail + bytes.latin1Slice(Math.max(0, bytes.length - LAST_CHUNK.length))).slice(
      -LAST_CHUNK.length,
    );
    return tail === LAST_CHUNK;
  };
  return (chunk) => {
    if (missing !== undefined) return missing === Infinity ? readChunked(chunk) : read(chunk.length);
    head += chunk.latin1Slice();
    const blank = head.indexOf("\r\n\r\n");
    if (blank < 0) return false;
    if (!head.startsWith("HTTP/1.1 200")) throw new Error(head.slice(0, 300));
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    missing = length === undefined ? Infinity : Number(length);
    return missing === Infinity ? readChunked(chunk) : read(head.length - blank - 4);
  };
}

/** A whole HTTP request as bytes. */
export function post(path, body, port) {
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\nauthorization: Bearer sk-bench\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return Buffer.from(head + body);
}
