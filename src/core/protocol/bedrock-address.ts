/**
 * A path of Bedrock's runtime: a model (an id or an ARN, encoded) and what is asked of it.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_Operations_Amazon_Bedrock_Runtime.html, 2026-11.
 */
const ADDRESS = /\/model\/([^/?]+)\/([a-z-]+)(?:\?|$)/;

export function isBedrock(method: string, pathname: string, operation: string): boolean {
  return method === "POST" && ADDRESS.exec(pathname)?.[2] === operation;
}

/** The model that a path names, decoded. */
export function bedrockModel(path: string): string | undefined {
  const name = ADDRESS.exec(path)?.[1];
  if (name === undefined) return undefined;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
