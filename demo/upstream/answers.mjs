import { countTokens, list, record, text } from "./values.mjs";

/** @typedef {import("./shapes.ts").Question} Question */
/** @typedef {import("./shapes.ts").Answer} Answer */
/** @typedef {import("./shapes.ts").ToolOffer} ToolOffer */

/** The same answer to the same question, always. @param {Question} question @returns {Answer} */
export function answerTo(question) {
  const tool = chooseTool(question);
  if (tool) {
    const input = sample(tool.parameters, { name: tool.name, from: question.user });
    return { text: "", calls: [{ name: tool.name, input }], cut: false };
  }
  const whole = question.schema
    ? JSON.stringify(sample(question.schema, { name: "answer", from: question.user }))
    : sentence(question);
  const cut = countTokens(whole) > question.maxTokens;
  return { text: cut ? whole.slice(0, question.maxTokens * 4) : whole, calls: [], cut };
}

/** A tool is called once for a question, and only where question and tool have a word in common. @param {Question} question */
function chooseTool({ tools, choice, user, results }) {
  if (results.length > 0 || choice === "none" || tools.length === 0) return undefined;
  if (typeof choice === "object") return tools.find(({ name }) => name === choice.name);
  const asked = new Set(words(user));
  const fitting = tools.find(({ name, description }) =>
    words(`${name} ${description}`).some((word) => asked.has(word)),
  );
  return fitting ?? (choice === "required" ? tools[0] : undefined);
}

/** @param {string} value */
const words = (value) => value.toLowerCase().match(/[a-z]{4,}/g) ?? [];

/** @type {readonly { when: RegExp, say: (question: Question) => string }[]} */
const habits = [
  { when: /one word: /i, say: pickWord },
  { when: /summar/i, say: summarize },
  { when: /translate/i, say: translate },
  { when: /reply|answer the customer/i, say: reply },
];

/** @param {Question} question */
function sentence(question) {
  if (question.results.length > 0) return report(question.results);
  const habit = habits.find(({ when }) => when.test(question.system));
  if (habit) return habit.say(question);
  const asked = question.user.split("\n")[0] ?? "";
  return `This is a practice answer to "${asked.slice(0, 80)}": it costs nothing and is the same every time.`;
}

/** Words that reveal the subject of a ticket. @type {Readonly<Record<string, RegExp>>} */
const signs = {
  billing: /charge|invoice|refund|paid|card/i,
  shipping: /parcel|arriv|deliver|order|track/i,
  account: /password|log ?in|sign|e-?mail/i,
  yes: /urgent|asap|immediately|right now|cannot work|is down/i,
};

/** "Answer with one word: a, b or c." @param {Question} question */
function pickWord({ system, user }) {
  const offered = /one word: ([\w ,-]+)/i.exec(system)?.[1] ?? "";
  const choices = offered.split(/,\s*|\s+or\s+/).filter(Boolean);
  return choices.find((word) => signs[word]?.test(user)) ?? choices.at(-1) ?? "unknown";
}

/** @param {Question} question */
function summarize({ user }) {
  const [first = user] = user.split(/(?<=[.!?])\s/);
  return `The customer writes: ${first.trim()}`;
}

/** @type {Readonly<Record<string, string>>} */
const german = {
  "Your order is on its way.": "Ihre Bestellung ist unterwegs.",
  "Thank you for your patience.": "Vielen Dank für Ihre Geduld.",
  "We have refunded the second charge.": "Wir haben die zweite Abbuchung erstattet.",
};

/** @param {Question} question */
function translate({ user }) {
  return user
    .split(/(?<=[.!?])\s+/)
    .map((part) => german[part.trim()] ?? part)
    .join(" ");
}

/** @param {Question} question */
function reply({ user }) {
  const name = /(?:regards|thanks|cheers|my name is|this is),?\s+([A-Z][a-z]+)/i.exec(user)?.[1] ?? "there";
  const topic = Object.keys(signs).find((word) => signs[word]?.test(user)) ?? "request";
  return [
    `Hi ${name},`,
    `thank you for writing. I have passed your ${topic} question to the colleague who looks after it, and you will hear from us within one working day.`,
    "Best regards,\nThe support team",
  ].join("\n\n");
}

/** @param {readonly string[]} results */
function report(results) {
  const facts = results.flatMap((result) => {
    try {
      return Object.entries(record(JSON.parse(result))).map(([name, value]) => `${name} ${String(value)}`);
    } catch {
      return [result];
    }
  });
  return `Here is what I found: ${facts.join(", ")}.`;
}

/**
 * Returns a value that fits a JSON schema, taken from the question if possible.
 * @param {unknown} schema
 * @param {{ name: string, from: string }} about
 * @returns {unknown}
 */
function sample(schema, about) {
  const { type, properties, enum: choices, items } = record(schema);
  if (Array.isArray(choices))
    return choices.find((choice) => signs[text(choice)]?.test(about.from)) ?? choices[0];
  if (type === "array") return [sample(items, about)];
  if (type === "integer" || type === "number") return Number(/\d+/.exec(about.from)?.[0] ?? 1);
  if (type === "boolean") return true;
  if (type === "string") return wordFor(about);
  const entries = Object.entries(record(properties));
  const required = list(record(schema)["required"]);
  const wanted = required.length > 0 ? entries.filter(([name]) => required.includes(name)) : entries;
  return Object.fromEntries(wanted.map(([name, inner]) => [name, sample(inner, { name, from: about.from })]));
}

/** @param {{ name: string, from: string }} about */
function wordFor({ name, from }) {
  if (/id$|number|order|code/i.test(name)) return /\b[A-Z]{1,4}-?\d+\b|\d+/.exec(from)?.[0] ?? "A-1";
  if (/city|place|location/i.test(name)) return /\b(?:in|at|for) ([A-Z]\w+)/.exec(from)?.[1] ?? "Berlin";
  return from.split("\n")[0]?.slice(0, 60) ?? "";
}
