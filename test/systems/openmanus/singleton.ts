import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientKind, openManus } from "../../../src/systems/openmanus/open-manus.ts";
import { encodingFor } from "../../../src/systems/openmanus/token-counter.ts";
import { aFolder } from "../../support/a-folder.ts";

/** Settings of a default model, and of one that is named v. */
export const FILE = `[llm]
model = "gpt-4o"
base_url = "u"
api_key = "k"
[llm.v]
model = "o1"
`;

/** A folder with a config/ of these files. */
export function configFolder(files: Readonly<Record<string, string | null>>): string {
  const root = aFolder();
  mkdirSync(join(root, "config"));
  for (const [name, text] of Object.entries(files)) {
    if (text !== null) writeFileSync(join(root, "config", name), text);
  }
  return root;
}

/** OpenManus with the settings of a file, whose clients answer nothing. */
export const aManus = (connect = async (): Promise<ReturnType<typeof aClient>> => aClient()) =>
  openManus({
    root: configFolder({ "config.toml": FILE }),
    connect,
    countText: () => (text) => text.length,
  });

export const aClient = () => ({ create: async () => ({}) });

/** Runs the golden row about names and clients. */
export async function singleton(models: readonly string[]): Promise<unknown> {
  const manus = aManus();
  const [a, b] = await Promise.all([manus.llm(), manus.llm("default")]);
  const unknown = await manus.llm("unknown");
  const other = await manus.llm("default", { model: "other" }).catch(() => manus.llm());
  return {
    default_same: a === b,
    v_model: (await manus.llm("v")).model,
    unknown_falls_back_to_default_model: unknown.model,
    unknown_is_own_object: unknown !== a,
    second_config_ignored: other.model,
    types: ["", "azure", "aws", "other"].map((type) => NAMES[clientKind({ api_type: type })]),
    encoding_for: Object.fromEntries(models.map((model) => [model, encodingFor(model)])),
  };
}

const NAMES = { openai: "AsyncOpenAI", azure: "AsyncAzureOpenAI", bedrock: "bedrock" };
