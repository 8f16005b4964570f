/**
 * Fills in the table of requirements in test/client/coverage.md. The table itself is the list of requirements; only its
 * last two columns, its counts, and its figures change.
 */

/** @typedef {{ file: string, title: string, state: "passed" | "failed" | "skipped" }} Proof a test as a runner reports it */

const LISTS = /\[([A-Z]+-[ID]?\d+(?:\s*,\s*[A-Z]+-[ID]?\d+)*)\]/g;
const ROW = /^\| ([A-Z]+-[ID]?\d+) \| ([^|]*) \|.*$/;

/** Returns the ids that a title names in brackets: "a miss is an error [MG-14, MG-I8]". @param {string} title */
export const idsIn = (title) =>
  [...title.matchAll(LISTS)].flatMap(([, list = ""]) => list.split(",").map((id) => id.trim()));

/** Returns the ids of a table's rows. @param {string} markdown */
export const idsOfTable = (markdown) => markdown.split("\n").flatMap((line) => ROW.exec(line)?.[1] ?? []);

/**
 * Returns the table with the tests that name each requirement. A requirement passes when at least one test names it and
 * every test that names it passed.
 * @param {string} markdown
 * @param {readonly Proof[]} proofs
 */
export function fillIn(markdown, proofs) {
  const ids = idsOfTable(markdown);
  const named = (/** @type {string} */ id) => proofs.filter(({ title }) => idsIn(title).includes(id));
  const passed = new Set(ids.filter((id) => verdict(named(id)) === "pass"));
  const count = (/** @type {readonly string[]} */ of) =>
    `${of.filter((id) => passed.has(id)).length} of ${of.length}`;
  const sections = markdown.split(/(?=^## )/m).map((section) =>
    section
      .replace(/^(## .*: )\d+ of \d+$/m, (_, title) => `${title}${count(idsOfTable(section))}`)
      .replace(new RegExp(ROW, "gm"), (_, id, words) => {
        const tests = named(id).map(({ file, title }) =>
          cell(`${file}: ${title.replaceAll(LISTS, "").trim()}`),
        );
        return `| ${id} | ${words} | ${[...new Set(tests)].sort().join("<br>") || "–"} | ${verdict(named(id))} |`;
      }),
  );
  return {
    markdown: sections.join("").replace(/^\d+ of \d+(?= requirements)/m, count(ids)),
    figures: count(ids),
    unknown: [...new Set(proofs.flatMap(({ title }) => idsIn(title)))].filter((id) => !ids.includes(id)),
  };
}

/** @param {readonly Proof[]} proofs */
function verdict(proofs) {
  if (proofs.some(({ state }) => state === "failed")) return "**fail**";
  if (proofs.some(({ state }) => state === "passed")) return "pass";
  return proofs.length > 0 ? "not run" : "**missing**";
}

const cell = (/** @type {string} */ text) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
