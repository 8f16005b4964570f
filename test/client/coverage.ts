import { REMARKS, REQUIREMENTS } from "./requirement-ids.ts";

/** A test as a runner reports it. */
export interface Proof {
  readonly file: string;
  readonly title: string;
  readonly state: "passed" | "failed" | "skipped";
}

export interface CoverageTable {
  readonly markdown: string;
  readonly proved: number;
  readonly total: number;
  /** Ids that titles name and that no requirement has. */
  readonly unknown: readonly string[];
}

const SYSTEMS: Readonly<Record<string, string>> = {
  MG: "MetaGPT: MockLLM",
  KO: "kosong: MockChatProvider",
  OM: "OpenManus: LLM",
  AS: "AgentScope: ChatModel",
  MF: "MiroFlow: base client",
  X: "Across the five",
};

/** The ids that a title names in brackets: "a miss is an error [MG-14, MG-I8]". */
export function idsIn(title: string): readonly string[] {
  const lists = title.matchAll(/\[([A-Z]+-[ID]?\d+(?:\s*,\s*[A-Z]+-[ID]?\d+)*)\]/g);
  return [...lists].flatMap(([, list = ""]) => list.split(",").map((id) => id.trim()));
}

/** A requirement passes when at least one test names it and all that name it passed. */
export function coverageTable(proofs: readonly Proof[]): CoverageTable {
  const ids = Object.keys(REQUIREMENTS);
  const byId = new Map<string, readonly Proof[]>();
  for (const proof of proofs)
    for (const id of idsIn(proof.title)) byId.set(id, [...(byId.get(id) ?? []), proof]);
  const stateOf = (id: string): string => verdict(byId.get(id) ?? []);
  const rowOf = (id: string): string => {
    const named = (byId.get(id) ?? []).map(({ file, title: of }) => `${file}: ${withoutIds(of)}`);
    const shown = [...new Set(named)].sort(byText).map(cell).join("<br>");
    const remark = REMARKS[id] === undefined ? "" : ` (${cell(REMARKS[id])})`;
    return `| ${id} | ${cell(REQUIREMENTS[id] ?? "")}${remark} | ${shown || "–"} | ${stateOf(id)} |`;
  };
  const sections = Object.entries(SYSTEMS).flatMap(([system, name]) => {
    const own = ids.filter((id) => id.startsWith(`${system}-`));
    const passed = own.filter((id) => stateOf(id) === "pass").length;
    const head = ["| id | requirement | proved by | result |", "| --- | --- | --- | --- |"];
    return ["", `## ${name}: ${passed} of ${own.length}`, "", ...head, ...own.map(rowOf)];
  });
  const proved = ids.filter((id) => stateOf(id) === "pass").length;
  const title = "# What the mock client core covers";
  const about = `${proved} of ${ids.length} requirements are proved by a test that names them. Made by the test run (\`npm run coverage-table\`).`;
  return {
    markdown: [title, "", about, ...sections, ""].join("\n"),
    proved,
    total: ids.length,
    unknown: [...byId.keys()].filter((id) => !(id in REQUIREMENTS)).sort(byText),
  };
}

function verdict(proofs: readonly Proof[]): string {
  if (proofs.some(({ state }) => state === "failed")) return "**fail**";
  if (proofs.some(({ state }) => state === "passed")) return "pass";
  return proofs.length > 0 ? "not run" : "**missing**";
}

function withoutIds(title: string): string {
  return title.replaceAll(/\s*\[[A-Z]+-[ID]?\d+[^\]]*\]/g, "").trim();
}

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
