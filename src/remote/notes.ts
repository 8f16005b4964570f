import { isLoopback } from "../core/protocol/upstream-address.ts";

/** What to say of a connection that is not encrypted; nothing where it does not leave this machine. */
export function notEncrypted(name: string, host: string): readonly string[] {
  if (isLoopback(host) || host === "::1") return [];
  return [
    `The connection to ${name} is not encrypted: who is on the way can read what is recorded, and a password of Redis.`,
  ];
}
