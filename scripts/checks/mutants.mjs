import { parseSync, Visitor } from "oxc-parser";

/** @typedef {{ file: string, line: number, start: number, end: number, before: string, after: string }} Mutant */
/** @typedef {{ start: number, end: number }} Place in UTF-16 code units */

/** Replacements by operator. @type {Readonly<Record<string, string>>} */
const OTHER_OPERATOR = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "&&": "||",
  "||": "&&",
  "??": "&&",
};

/**
 * Whether a returned value is `undefined` or `false`, which callers treat alike. `false` is still mutated to `true`.
 * @param {import("oxc-parser").Expression} value
 */
function saysNothing(value) {
  if (value.type === "Identifier") return value.name === "undefined";
  return value.type === "Literal" && value.value === false;
}

/** Everything that may be changed in a file, one change each. @param {string} file @param {string} text @returns {readonly Mutant[]} */
export function mutantsOf(file, text) {
  /** @type {Mutant[]} */
  const mutants = [];
  /** @param {Place} place @param {string} after */
  const change = ({ start, end }, after) => {
    const line = text.slice(0, start).split("\n").length;
    mutants.push({ file, line, start, end, before: text.slice(start, end), after });
  };
  /** @param {Place} place */
  const textOf = ({ start, end }) => text.slice(start, end);
  /** @param {{ operator: string, left: Place, right: Place }} node */
  const otherOperator = ({ operator, left, right }) => {
    const after = OTHER_OPERATOR[operator];
    const start = text.indexOf(operator, left.end);
    if (after !== undefined && start < right.start) change({ start, end: start + operator.length }, after);
  };
  /** @param {{ test: Place }} node */
  const negate = ({ test }) => change(test, `!(${textOf(test)})`);
  /** Texts and numbers that only the compiler reads, or that name a module. @type {Set<number>} */
  const fixed = new Set();
  const leaveOut = (/** @type {{ source: Place | null }} */ { source }) => source && fixed.add(source.start);

  new Visitor({
    ImportDeclaration: leaveOut,
    ExportNamedDeclaration: leaveOut,
    ExportAllDeclaration: leaveOut,
    ImportExpression: ({ source }) => fixed.add(source.start),
    TSLiteralType: ({ literal }) => fixed.add(literal.start),
    BinaryExpression: otherOperator,
    LogicalExpression: otherOperator,
    IfStatement: negate,
    ConditionalExpression: negate,
    UnaryExpression: (node) => {
      if (node.operator === "!") change(node, textOf(node.argument));
    },
    Literal: (node) => {
      if (fixed.has(node.start)) return;
      if (typeof node.value === "boolean") change(node, String(!node.value));
      if (typeof node.value === "number") change(node, `(${node.raw} + 1)`);
      if (typeof node.value === "string") change(node, node.value === "" ? '"?"' : '""');
    },
    ExpressionStatement: (node) => change(node, ";"),
    ReturnStatement: (node) => {
      if (node.argument && !saysNothing(node.argument)) change(node, "return undefined as never;");
    },
    ObjectExpression: ({ properties }) => {
      for (const one of properties) if (one.type === "SpreadElement") change(one, "...{}");
    },
  }).visit(parseSync(file, text).program);
  return mutants;
}
