/** As much of JSON schema draft-07 as our schemas use. Another keyword is an error, since it would check nothing. */
export type Schema = Readonly<Record<string, unknown>>;

/** Returns the violations of a schema by a value. */
export function schemaProblems(schema: Schema, value: unknown): string[] {
  return problemsOf({ root: schema, schema, value, at: "" });
}

/** Returns the members of a schema without a description, direct or by reference. */
export function undescribed(schema: Schema): string[] {
  const definitions = Object.entries(asSchema(schema["definitions"] ?? {}));
  const owners: [string, Schema][] = [
    ["", schema],
    ...definitions.map(([name, one]): [string, Schema] => [name, asSchema(one)]),
  ];
  return owners.flatMap(([owner, one]) =>
    Object.entries(asSchema(one["properties"] ?? {}))
      .filter(([, member]) => !("description" in asSchema(member) || "$ref" in asSchema(member)))
      .map(([name]) => `${owner}/${name}`),
  );
}

interface Place {
  readonly root: Schema;
  readonly schema: Schema;
  readonly value: unknown;
  readonly at: string;
}

const NOTES = new Set(["$schema", "$id", "title", "description", "definitions"]);

const CHECKS: Readonly<Record<string, (wanted: never, place: Place) => string[]>> = {
  $ref: (wanted: string, place) => {
    const definitions = asSchema(place.root["definitions"]);
    return problemsOf({ ...place, schema: asSchema(definitions[wanted.replace("#/definitions/", "")]) });
  },
  const: (wanted: unknown, { value, at }) =>
    wanted === value ? [] : [`${at} is not ${JSON.stringify(wanted)}`],
  enum: (wanted: readonly unknown[], { value, at }) =>
    wanted.includes(value) ? [] : [`${at} is none of the choices`],
  type: (wanted: string, { value, at }) =>
    isOfType(wanted, value) ? [] : [`${at} is not of type ${wanted}`],
  pattern: (wanted: string, { value, at }) =>
    new RegExp(wanted, "u").test(String(value)) ? [] : [`${at} does not match`],
  minLength: (wanted: number, { value, at }) =>
    String(value).length >= wanted ? [] : [`${at} is too short`],
  maxLength: (wanted: number, { value, at }) => (String(value).length <= wanted ? [] : [`${at} is too long`]),
  minimum: (wanted: number, { value, at }) => (Number(value) >= wanted ? [] : [`${at} is too small`]),
  maximum: (wanted: number, { value, at }) => (Number(value) <= wanted ? [] : [`${at} is too large`]),
  required: (wanted: readonly string[], { value, at }) =>
    wanted.filter((name) => isObject(value) && !(name in value)).map((name) => `${at} has no ${name}`),
  items: (wanted: Schema, { root, value, at }) =>
    Array.isArray(value)
      ? value.flatMap((item: unknown, index) =>
          problemsOf({ root, schema: wanted, value: item, at: `${at}/${index}` }),
        )
      : [],
  oneOf: (wanted: readonly Schema[], place) => {
    const count = fitting(wanted, place);
    return count === 1 ? [] : [`${place.at} fits ${count} of oneOf`];
  },
  anyOf: (wanted: readonly Schema[], place) =>
    fitting(wanted, place) > 0 ? [] : [`${place.at} fits none of anyOf`],
  properties: (wanted: Schema, { root, value, at }) =>
    membersOf(value)
      .filter(([name]) => name in wanted)
      .flatMap(([name, member]) =>
        problemsOf({ root, schema: asSchema(wanted[name]), value: member, at: `${at}/${name}` }),
      ),
  additionalProperties: (wanted: unknown, { root, schema, value, at }) => {
    const others = membersOf(value).filter(([name]) => !(name in asSchema(schema["properties"] ?? {})));
    if (wanted === false) return others.map(([name]) => `${at} may not have ${name}`);
    return others.flatMap(([name, member]) =>
      problemsOf({ root, schema: asSchema(wanted), value: member, at: `${at}/${name}` }),
    );
  },
};

function problemsOf(place: Place): string[] {
  return Object.entries(place.schema).flatMap(([keyword, wanted]) => {
    if (NOTES.has(keyword)) return [];
    const check = CHECKS[keyword];
    if (check === undefined) throw new Error(`the schema uses ${keyword}, which is not checked`);
    return check(wanted as never, place);
  });
}

function fitting(schemas: readonly Schema[], place: Place): number {
  return schemas.filter((schema) => problemsOf({ ...place, schema }).length === 0).length;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

function membersOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asSchema(value: unknown): Schema {
  if (!isObject(value)) throw new Error("a schema is an object");
  return value;
}
