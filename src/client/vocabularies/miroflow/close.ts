import { fieldsOf } from "../../../core/protocol/reading/lenient.ts";

/**
 * Closes a provider's client: where its `close` is async and a transport stands behind it, the transport, whose
 * failures are swallowed; else the client itself; nothing to close is fine.
 */
export async function closeClient(client: unknown): Promise<void> {
  const close = methodOf(client, "close");
  const inner = fieldsOf(client)["_client"];
  const closeInner = methodOf(inner, "close");
  if (close !== undefined && (closeInner === undefined || !isAsync(close))) {
    await Reflect.apply(close, client, []);
    return;
  }
  if (closeInner === undefined) return;
  try {
    await Reflect.apply(closeInner, inner, []);
  } catch {
    // The connection is gone either way.
  }
}

type Method = (...args: readonly unknown[]) => unknown;

function methodOf(owner: unknown, name: string): Method | undefined {
  const found: unknown = typeof owner === "object" && owner !== null ? Reflect.get(owner, name) : undefined;
  return typeof found === "function" ? (found as Method) : undefined;
}

function isAsync(method: Method): boolean {
  return method.constructor.name === "AsyncFunction";
}
