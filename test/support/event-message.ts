import { crc32 } from "node:zlib";

/** A message of an AWS event stream as Bedrock writes them, made without our own writer. */
export function eventMessage(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const all = {
    ":event-type": "",
    ":content-type": "application/json",
    ":message-type": "event",
    ...headers,
  };
  const head = Buffer.concat(
    Object.entries(all)
      .filter(([, value]) => value !== "")
      .map(([name, value]) =>
        Buffer.concat([
          Buffer.from([Buffer.byteLength(name)]),
          Buffer.from(name),
          Buffer.from([7, Buffer.byteLength(value) >> 8, Buffer.byteLength(value) & 0xff]),
          Buffer.from(value),
        ]),
      ),
  );
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, head, body]);
  const end = Buffer.alloc(4);
  end.writeUInt32BE(crc32(message));
  return Buffer.concat([message, end]);
}
