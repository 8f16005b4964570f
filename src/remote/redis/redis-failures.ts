import { isTapedeckError } from "../../core/errors.ts";
import { isFull, notReached, objectFailure, remoteFailure, type RemoteFault } from "../failures.ts";
import { networkFailure } from "../network-failure.ts";
import { thrownText } from "../../core/thrown-text.ts";

interface Meaning {
  readonly fault: RemoteFault;
  readonly what: string;
  readonly hint: string;
}

const CREDENTIALS =
  "Check TAPEDECK_REMOTE_USER and TAPEDECK_REMOTE_PASSWORD, or user and password in the address.";

/** What a server's answer means, by the word that it begins with. Source: redis.io/docs, protocol errors and ACL, 2026-11. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  NOAUTH: { fault: "wrong", what: "asks for a password.", hint: CREDENTIALS },
  WRONGPASS: { fault: "wrong", what: "does not know this user or password.", hint: CREDENTIALS },
  NOPERM: {
    fault: "wrong",
    what: "does not give this user the rights that are needed.",
    hint: "Reading takes GETRANGE, STRLEN, EXISTS and SCAN, writing SET and EXPIRE, each on the keys of the prefix.",
  },
  READONLY: {
    fault: "wrong",
    what: "is a replica that takes no writes.",
    hint: "Name the primary, or open it for reading only.",
  },
  MOVED: {
    fault: "wrong",
    what: "is a part of a cluster, and keys of it lie elsewhere.",
    hint: "Name a server that is no cluster, or a proxy in front of it.",
  },
  CLUSTERDOWN: { fault: "down", what: "is a cluster that is down.", hint: "Mend the cluster." },
  LOADING: { fault: "down", what: "is still reading its data.", hint: "Wait until it is up." },
  MASTERDOWN: { fault: "down", what: "is a replica without its primary.", hint: "Name the primary." },
  BUSY: { fault: "down", what: "is busy with a script.", hint: "Wait until it is done." },
};

/** What the server or the way to it said, in the terms of a remote; ours stay as they are. */
export function redisFailure(name: string, error: unknown, key?: string): unknown {
  if (isTapedeckError(error)) return error;
  const message = thrownText(error);
  const word = /^-?([A-Z]+)(?: |$)/.exec(message)?.[1] ?? "";
  const meaning = MEANINGS[word];
  if (meaning !== undefined) {
    const { fault, what, hint } = meaning;
    return remoteFailure(fault, name, what, { hint, cause: error });
  }
  if (word === "OOM" || word === "MISCONF") return isFull(name, message, error);
  if (word === "WRONGTYPE")
    return objectFailure(name, `has something else than a string at ${key ?? "an object's name"}.`, error);
  if (word === "ERR") return errorOf(name, message, error);
  if (/protocol error|unknown RESP type/i.test(message))
    return remoteFailure("wrong", name, "does not answer as Redis does.", {
      hint: "Check host and port: something else listens there.",
      cause: error,
    });
  if (isClosing(error)) return notReached(name, "the connection was closed", error);
  return networkFailure(name, error);
}

/** Whether a command found that its connection is closing: the client has a text of its own for it. */
export function isClosing(error: unknown): boolean {
  return error instanceof Error && /^(?:Stream isn't writeable|Connection is closed)/.test(error.message);
}

function errorOf(name: string, message: string, cause: unknown): unknown {
  if (/DB index|invalid DB/i.test(message))
    return remoteFailure("wrong", name, "has no database of that number.", {
      hint: "Name another one at the end of the address; 0 is always there.",
      cause,
    });
  if (/AUTH.*(?:without any password|no password is set)/i.test(message))
    return remoteFailure("wrong", name, "has no password, but one was given.", { hint: CREDENTIALS, cause });
  if (/max number of clients/i.test(message))
    return remoteFailure("down", name, "has too many clients.", {
      hint: "Raise maxclients there, or run less at once.",
      cause,
    });
  return remoteFailure("down", name, `refused a command: ${message.replace(/[\s.]+$/, "")}.`, {
    hint: "Check that it is Redis 6 or later, or Valkey, and not full or shutting down.",
    cause,
  });
}
