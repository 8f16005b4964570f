import { describe, expect, it } from "vitest";
import { loadScanner } from "../../../src/core/secrets/load-scanner.ts";
import { casesOf } from "../../support/cases.ts";
import {
  BARE_KEYS,
  KEY_PLACES,
  PASSWORD_PLACES,
  RANDOM_KEYS,
  RANDOM_PASSWORDS,
  textsOf,
} from "../../support/random-secrets.ts";

const scan = await loadScanner();
const COUNT = casesOf({ quick: 50, long: 1_000 });

function missed(texts: readonly (readonly [value: string, text: string])[]): readonly string[] {
  return texts
    .filter(([value, text]) => {
      const spellings = [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)];
      return !scan(text).some((found) => spellings.some((one) => found.value.includes(one)));
    })
    .map(([, text]) => text);
}

function missedOf(kinds: typeof RANDOM_KEYS, place: (value: string) => string): readonly string[] {
  return Object.values(kinds).flatMap((make, at) => missed(textsOf(make, place, COUNT, at + 1)));
}

/** At least 99.9 % of the values of all kinds are found at each place: what chance makes of letters may be words. */
const mostMissed = (kinds: object): number => Math.ceil(0.001 * COUNT * Object.keys(kinds).length);

describe("random keys behind the name of a credential", () => {
  it.each(Object.keys(KEY_PLACES))("are found in %s", (name) => {
    const found = missedOf(RANDOM_KEYS, KEY_PLACES[name] ?? String);

    expect(found.length).toBeLessThanOrEqual(mostMissed(RANDOM_KEYS));
  });
});

describe("random passwords", () => {
  it.each(Object.keys(PASSWORD_PLACES))("are found in %s", (name) => {
    const found = missedOf(RANDOM_PASSWORDS, PASSWORD_PLACES[name] ?? String);

    expect(found.length).toBeLessThanOrEqual(mostMissed(RANDOM_PASSWORDS));
  });
});

describe("random keys without a name in front of them", () => {
  it.each(Object.entries(BARE_KEYS))("are found: %s", (_, [make, place]) => {
    expect(missed(textsOf(make, place, COUNT, 1))).toEqual([]);
  });
});

describe("what only describes a credential", () => {
  const UUID = "3f2b8c1d-9a47-4e60-b1d5-7c0e92a8f634";
  const HEX = "b46e913285979d73b3c7bb7edbc6bb66";

  it.each([
    `{"create_api_key_id": "${UUID}"}`,
    `{"apiKeyId":"${UUID}","api_key_name":"${HEX}","tokenType":"${HEX}","secretName": "${HEX}"}`,
    `{"token_count":"1234567890123456","password_hint":"${HEX}","passwordResetUrl":"${HEX}"}`,
    `{"azure_api_key_id":"${HEX}","next_page_token":"${HEX}","cacheKey":"${HEX}","public_key":"${HEX}","clientRequestToken":"${HEX}"}`,
    `API_KEY_ID=${UUID}\nTOKEN_FILE=/run/secrets/${HEX}\nSECRET_ARN=arn:aws:secretsmanager:${HEX}`,
    `{"password": "correct_password", "token": "access_token", "apiKey": "my-service-key-2"}`,
    `const token = await getTokenByAuthorizationCode(code); password: hashPassword(input.password),`,
    `def login(username: str, password: str = "", api_key=self.api_key, token=request.headers["x"]):`,
    `credentials: Dict[str, str]; api_key=os.environ["OPENAI_API_KEY"], "secret": "{{ vault.secret }}"`,
    `const api_credentials_1 = require("./internal/x509-credentials-2.js"), auth_token = "../x509/token-9.ts"`,
    `A user and password otherwise: the environment has user and password otherwise.`,
    `apiKey: "your-api-key-goes-here", API_KEY=\${OPENAI_API_KEY}, password=<your password>`,
  ])("is no secret: %s", (text) => {
    expect(scan(text)).toEqual([]);
  });
});
