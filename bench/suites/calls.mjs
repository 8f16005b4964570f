// The calls of the suites, the same in both languages: different texts of 2 to 20 KB, and one call in eight is repeated.

/** Sentences for prompts and tools. */
export const SENTENCES = Array.from({ length: 60 }, (_, index) => {
  const [day, city] = [
    ["Monday", "Tuesday", "Friday"],
    ["Berlin", "Rome", "Oslo", "Lyon"],
  ].map((names) => names[index % names.length]);
  return `Parcel ${index * 41} of order ${index * 97 + 11} left the warehouse on ${day} and is expected in ${city} this week.`;
});

/** A whole number below `below`, the same on every machine. @param {number} seed */
function createRandom(seed) {
  let state = seed;
  return (/** @type {number} */ below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * Returns the calls by file and test.
 * @param {readonly string[]} kinds the ways in which the suite's clients ask
 * @param {{ readonly files: number, readonly tests: number }} size
 */
export function planCalls(kinds, { files, tests }) {
  const random = createRandom(7);
  /** @type {{ id: number, kind: string, text: string, hasTools: boolean }[]} */
  const earlier = [];
  const oneCall = () => {
    if (earlier.length > 5 && random(8) === 0) return earlier[random(earlier.length)];
    const id = earlier.length + 1;
    const length = 2_000 + Math.floor((random(1_000) / 1_000) ** 2 * 18_000); // most are short
    const kind = kinds[random(kinds.length)];
    const call = { id, kind, text: textOf(id, length), hasTools: random(4) === 0 };
    earlier.push(call);
    return call;
  };
  return Array.from({ length: files }, () =>
    Array.from({ length: tests }, () => Array.from({ length: 1 + random(5) }, oneCall)),
  );
}

/** @param {number} id @param {number} length in characters */
function textOf(id, length) {
  let text = "";
  for (let index = id * 7; text.length < length; index += 1 + (id % 3)) text += `${SENTENCES[index % 60]} `;
  return `${text}[#${id}]`;
}
