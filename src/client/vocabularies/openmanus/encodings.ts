/** Counts the tokens of a text. */
export type CountText = (text: string) => number;

export type EncodingName =
  | "o200k_base"
  | "o200k_harmony"
  | "cl100k_base"
  | "p50k_base"
  | "p50k_edit"
  | "r50k_base"
  | "gpt2";

/** Model names as tiktoken knows them (source: tiktoken's model table, 2026-11). A name that is here in full comes first. */
const EXACT: Readonly<Record<string, EncodingName>> = table({
  o200k_base: "o1 o3 o4-mini gpt-5 gpt-4.1 gpt-4o",
  cl100k_base:
    "gpt-4 gpt-3.5-turbo gpt-3.5 gpt-35-turbo davinci-002 babbage-002 text-embedding-ada-002 text-embedding-3-small text-embedding-3-large",
  p50k_base:
    "text-davinci-003 text-davinci-002 code-davinci-002 code-davinci-001 code-cushman-002 code-cushman-001 davinci-codex cushman-codex",
  p50k_edit: "text-davinci-edit-001 code-davinci-edit-001",
  r50k_base:
    "text-davinci-001 text-curie-001 text-babbage-001 text-ada-001 davinci curie babbage ada text-similarity-davinci-001 text-similarity-curie-001 text-similarity-babbage-001 text-similarity-ada-001 text-search-davinci-doc-001 text-search-curie-doc-001 text-search-babbage-doc-001 text-search-ada-doc-001 code-search-babbage-code-001 code-search-ada-code-001",
  gpt2: "gpt2 gpt-2",
});

/** Beginnings of names, looked at in this order. */
const PREFIXES: readonly (readonly [string, EncodingName])[] = Object.entries(
  table({
    o200k_base: "o1- o3- o4-mini- gpt-5- gpt-4.5- gpt-4.1- chatgpt-4o- gpt-4o-",
    o200k_harmony: "gpt-oss-",
  }),
).concat(
  Object.entries(table({ cl100k_base: "gpt-4- gpt-3.5-turbo- gpt-35-turbo-" })),
  Object.entries(table({ o200k_base: "ft:gpt-4o" })),
  Object.entries(table({ cl100k_base: "ft:gpt-4 ft:gpt-3.5-turbo ft:davinci-002 ft:babbage-002" })),
);

function table(names: Partial<Record<EncodingName, string>>): Record<string, EncodingName> {
  const encodings = Object.keys(names) as EncodingName[];
  return Object.fromEntries(
    encodings.flatMap((encoding) => (names[encoding] ?? "").split(" ").map((name) => [name, encoding])),
  );
}

/** The encoding by which a model's tokens are counted; cl100k_base for all that tiktoken does not know. */
export function encodingFor(model: string): EncodingName {
  const exact = Object.hasOwn(EXACT, model) ? EXACT[model] : undefined;
  return exact ?? PREFIXES.find(([prefix]) => model.startsWith(prefix))?.[1] ?? "cl100k_base";
}

interface Tokenizer {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number;
}

/** Each encoding is some megabytes; only what is used is loaded. */
const LOADERS: Readonly<Record<EncodingName, () => Promise<Tokenizer>>> = {
  o200k_base: () => import("gpt-tokenizer/encoding/o200k_base"),
  o200k_harmony: () => import("gpt-tokenizer/encoding/o200k_harmony"),
  cl100k_base: () => import("gpt-tokenizer/encoding/cl100k_base"),
  p50k_base: () => import("gpt-tokenizer/encoding/p50k_base"),
  p50k_edit: () => import("gpt-tokenizer/encoding/p50k_edit"),
  r50k_base: () => import("gpt-tokenizer/encoding/r50k_base"),
  gpt2: () => import("gpt-tokenizer/encoding/gpt2"),
};

/** Loads an encoding's counter. Texts like `<|endoftext|>` count as ordinary text. Needs the package gpt-tokenizer. */
export async function loadEncoding(name: EncodingName): Promise<CountText> {
  const tokenizer = await LOADERS[name]();
  const options = { disallowedSpecial: new Set<string>() };
  return (text) => (text === "" ? 0 : tokenizer.countTokens(text, options));
}
