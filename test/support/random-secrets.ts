import { seeded, type Random } from "./seeded.ts";

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const WORD = DIGITS + LOWER + LOWER.toUpperCase();
const HEX = `${DIGITS}abcdef`;

type Make = (random: Random) => string;

const some =
  (length: number, alphabet: string): Make =>
  (random) =>
    Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");

const uuid: Make = (random) => [8, 4, 4, 4, 12].map((length) => some(length, HEX)(random)).join("-");

/** Random keys of the alphabets and lengths that services give out. */
export const RANDOM_KEYS: Readonly<Record<string, Make>> = {
  "32 hexadecimal digits": some(32, HEX),
  "40 hexadecimal digits": some(40, HEX),
  "64 capital hexadecimal digits": some(64, HEX.toUpperCase()),
  "a UUID": uuid,
  "16 letters and digits": some(16, WORD),
  "32 letters and digits": some(32, WORD),
  "32 small letters and digits": some(32, LOWER + DIGITS),
  base64: (random) => `${some(43, `${WORD}+/`)(random)}=`,
  base64url: some(43, `${WORD}-_`),
};

/** Random passwords as password managers make them. */
export const RANDOM_PASSWORDS: Readonly<Record<string, Make>> = {
  "10 letters and digits": some(10, WORD),
  "16 letters and digits": some(16, WORD),
  "16 with signs": (random) => `${some(15, `${WORD}!@#^*-_+`)(random)}7`,
};

type Place = (value: string) => string;

/** Where a key is in what people and tools write. */
export const KEY_PLACES: Readonly<Record<string, Place>> = {
  "a header": (key) => `api-key: ${key}`,
  "a header of curl": (key) => `curl -H "api-key: ${key}" https://a.example.com`,
  "Authorization: Token": (key) => `Authorization: Token ${key}`,
  "Authorization without a scheme": (key) => `Authorization: ${key}`,
  "a bearer token": (key) => `send Bearer ${key} with it`,
  "a header of a HAR file": (key) => `{"name":"x-api-key","value":"${key}"}`,
  "a header that code sets": (key) => `request.setHeader('X-Auth-Token', '${key}')`,
  "an object": (key) => `new AzureOpenAI({ endpoint: "https://a", apiKey: '${key}' })`,
  JSON: (key) => `{"api_key": "${key}"}`,
  "JSON in JSON": (key) => JSON.stringify({ arguments: JSON.stringify({ apiKey: key }) }),
  "JSON in JSON in JSON": (key) =>
    JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ token: key }) }) }),
  YAML: (key) => `datadog:\n  dd_application_key: ${key}\n  site: eu`,
  "YAML on the next line": (key) => `env:\n  API_KEY:\n    ${key}\n`,
  "variables of Kubernetes": (key) => `- name: API_KEY\n  value: ${key}`,
  TOML: (key) => `[service]\ntoken = "${key}"`,
  properties: (key) => `my.api.key=${key}`,
  "an env file": (key) => `SERVICE_KEY=${key}\n`,
  "an env file, with a suffix": (key) => `API_KEY_PROD="${key}"\n`,
  "a shell": (key) => `export SERVICE_TOKEN=${key}`,
  "a shell's default": (key) => `echo \${API_KEY:-${key}}`,
  PowerShell: (key) => `$env:API_KEY = "${key}"`,
  "a Dockerfile": (key) => `ENV API_KEY ${key}`,
  "an option": (key) => `tool --api-key ${key} --verbose`,
  "a keyword argument": (key) => `Client(api_key="${key}", timeout=1)`,
  "a wrapped argument": (key) => `Client(api_key=SecretStr("${key}"))`,
  "a dictionary": (key) => `{'api_key': '${key}'}`,
  "a variable with a type": (key) => `api_key: str = "${key}"`,
  "an environment that code sets": (key) => `os.environ["API_KEY"] = "${key}"`,
  "a fallback in code": (key) => `os.getenv("API_KEY", "${key}")`,
  Ruby: (key) => `:api_key => "${key}"`,
  Go: (key) => `apiKey := "${key}"`,
  PHP: (key) => `define('API_KEY', '${key}');`,
  Terraform: (key) => `variable "api_key" {\n  type = string\n  default = "${key}"\n}`,
  "an npmrc": (key) => `//registry.example.com/:_authToken=${key}`,
  XML: (key) => `<apiKey>${key}</apiKey>`,
  "attributes of XML": (key) => `<add key="ApiKey" value="${key}" />`,
  "a query": (key) => `https://a.example.com/b?api_key=${encodeURIComponent(key)}&x=1`,
  "a sentence": (key) => `My API key is ${key}`,
  Markdown: (key) => `**API key**: \`${key}\``,
};

/** Where a password is. */
export const PASSWORD_PLACES: Readonly<Record<string, Place>> = {
  JSON: (password) => JSON.stringify({ user: "me", password }),
  "JSON in JSON": (password) => JSON.stringify({ a: JSON.stringify({ password }) }),
  "an object": (password) => `{ user: 'me', pass: '${password}' }`,
  "a keyword argument": (password) => `connect(user="me", password="${password}")`,
  YAML: (password) => `database:\n  password: ${password}\n`,
  "an env file": (password) => `DB_PASSWORD=${password}\n`,
  Ansible: (password) => `host1 ansible_ssh_pass=${password}`,
  "a NuGet configuration": (password) => `<add key="ClearTextPassword" value="${password}" />`,
  "mysql -p": (password) => `mysql -u root -p${password} shop`,
  "docker login -p": (password) => `docker login -u me -p ${password} registry.example.com`,
  "an option": (password) => `mysqldump --password=${password} shop`,
  "curl -u": (password) => `curl -u me:${password} https://a.example.com`,
  "a pgpass file": (password) => `db.internal:5432:orders:app:${password}`,
  "a netrc file": (password) => `machine a.example.com login me password ${password}`,
  "a pypirc file": (password) => `[pypi]\nusername = me\npassword = ${password}`,
  "a connection string": (password) => `Server=db;Database=a;User Id=app;Password=${password};`,
  "an address": (password) => `postgres://app:${encodeURIComponent(password)}@db.internal:5432/orders`,
  "the arguments of a login": (password) => `requests.get(url, auth=("me", "${password}"))`,
  XML: (password) => `<password>${password}</password>`,
  "a sentence": (password) => `The password is ${password}`,
};

/** Keys that no name is in front of. */
export const BARE_KEYS: Readonly<Record<string, readonly [make: Make, place: Place]>> = {
  "Twilio's client": [some(32, HEX), (key) => `Client("AC${"0123456789abcdef".repeat(2)}", "${key}")`],
  "Twilio's client, with a variable": [some(32, HEX), (key) => `Client(account_sid, "${key}")`],
  "Cohere's client": [some(40, WORD), (key) => `co = cohere.Client("${key}")`],
  Mailgun: [(random) => `key-${some(32, HEX)(random)}`, (key) => `mg(${key})`],
  Zhipu: [(random) => `${some(32, HEX)(random)}.${some(16, WORD)(random)}`, (key) => `Use ${key} for it.`],
};

/** The texts of `count` random values at a place, the same for the same seed. */
export function textsOf(
  make: Make,
  place: Place,
  count: number,
  seed: number,
): readonly (readonly [value: string, text: string])[] {
  const random = seeded(seed);
  return Array.from({ length: count }, () => {
    const value = make(random);
    return [value, place(value)];
  });
}
