import { isFields } from "../../core/protocol/reading/lenient.ts";

/** What a local reference leads to: "#", "#/a/b" or "#anchor"; undefined where it leads nowhere or away. */
export function resolveRef(root: unknown, ref: string): unknown {
  if (!ref.startsWith("#")) return undefined;
  const fragment = decoded(ref.slice(1));
  if (fragment === "") return root;
  return fragment.startsWith("/") ? atPointer(root, fragment) : withAnchor(root, fragment);
}

function atPointer(root: unknown, pointer: string): unknown {
  let found = root;
  for (const step of pointer.slice(1).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(found)) found = found[Number(name)] as unknown;
    else if (isFields(found) && Object.hasOwn(found, name)) found = found[name];
    else return undefined;
  }
  return found;
}

function withAnchor(schema: unknown, anchor: string): unknown {
  if (Array.isArray(schema)) return firstFound(schema, anchor);
  if (!isFields(schema)) return undefined;
  if (schema["$anchor"] === anchor || schema["$dynamicAnchor"] === anchor) return schema;
  return firstFound(Object.values(schema), anchor);
}

function firstFound(schemas: readonly unknown[], anchor: string): unknown {
  for (const schema of schemas) {
    const found = withAnchor(schema, anchor);
    if (found !== undefined) return found;
  }
  return undefined;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
