import { isAboutCredential } from "./credential-names.ts";
import { ASSIGNED, isPlaceholder, type ShapedKind } from "./kind.ts";
import { isMadeOfWords } from "./words.ts";

const HEX32 = "[a-f0-9]{32}";
const UUID = "[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}";
const some = (length: number | string, more = ""): string => `[a-z0-9${more}]{${length}}`;

/**
 * Values without looks of their own, known by the name before them: kind, words in the name (`_` is any of `_-.` or
 * nothing), value in any case. Lengths as gitleaks has them (config/gitleaks.toml, 2026-07), for providers of models as
 * they are given out. Public ids of clients are left out: they are no secrets.
 */
const NAMED: readonly (readonly [kind: string, names: string, value: string])[] = [
  ["Adafruit key", "adafruit", some(32, "_-")],
  ["Airtable key", "airtable", some(17)],
  ["Algolia key", "algolia", some(32)],
  ["Alibaba secret key", "alibaba|aliyun", some(30)],
  ["Asana secret", "asana", some(32)],
  ["AssemblyAI key", "assemblyai|assembly_ai", HEX32],
  ["Atlassian token", "atlassian|confluence|jira", "[a-z0-9]{20}[a-f0-9]{4}"],
  ["AWS secret key", "secret_access_key|aws_secret_key|secretaccesskey", some(40, "/+=")],
  ["Azure key", "azure|ocp_apim_subscription_key|cognitive", `${HEX32}|${some(52)}`],
  ["Beamer token", "beamer", `b_${some(44, "=_-")}`],
  ["Bitbucket secret", "bitbucket", `${some(64, "=_-")}|${some(32)}`],
  ["Bittrex key", "bittrex", some(32)],
  ["Cisco Meraki key", "meraki", "[0-9a-f]{40}"],
  ["Cloudflare token", "cloudflare", `${some(40, "_-")}|[a-f0-9]{37}`],
  ["Codecov token", "codecov", some(32)],
  ["Cohere key", "cohere|co_api_key", some(40)],
  ["Coinbase token", "coinbase", some(64, "_-")],
  ["Confluent key", "confluent", `${some(64)}|${some(16)}`],
  ["Contentful token", "contentful", some(43, "=_-")],
  ["Datadog key", "datadog|dd_api_key|dd_app_key", `${some(40)}|${HEX32}`],
  ["Deepgram key", "deepgram", "[a-f0-9]{40}"],
  ["Discord token", "discord", `[a-f0-9]{64}|${some(32, "=_-")}`],
  ["Drone CI token", "droneci|drone_token", some(32)],
  ["Dropbox token", "dropbox", `${some(11)}a{10}${some(43, "=_-")}|${some(15)}`],
  ["ElevenLabs key", "elevenlabs|eleven_api_key|xi_api_key", HEX32],
  ["Etsy token", "etsy", some(24)],
  ["Exa key", "exa_api_key", UUID],
  ["Facebook secret", "facebook|fb_app_secret", HEX32],
  ["Fastly token", "fastly", some(32, "=_-")],
  ["Finicity key", "finicity", `${HEX32}|${some(20)}`],
  ["Finnhub token", "finnhub", some(20)],
  ["Flickr token", "flickr", some(32)],
  ["Freemius key", "secret_key", "sk_[^\\s\"']{29}"],
  ["FreshBooks token", "freshbooks", some(64)],
  ["Gitter token", "gitter", some(40, "_-")],
  ["GoCardless token", "gocardless", `live_${some(40, "=_-")}`],
  ["Heroku key", "heroku", UUID],
  ["HubSpot key", "hubspot", UUID],
  ["Intercom token", "intercom", some(60, "=_-")],
  ["JFrog key", "jfrog|artifactory|bintray|xray", `${some(73)}|${some(64)}`],
  ["Kraken token", "kraken", some("80,90", "/=_+-")],
  ["KuCoin key", "kucoin", `${UUID}|[a-f0-9]{24}`],
  ["LaunchDarkly token", "launchdarkly", some(40, "=_-")],
  ["Linear secret", "linear_client|linear_secret|linear_oauth", HEX32],
  ["LinkedIn secret", "linked_in", some("16,20")],
  ["Lob key", "lob_api|lob_key|lob_secret", "(?:live|test)_[a-f0-9]{35}"],
  ["Looker secret", "looker", some(24)],
  ["Mailchimp key", "mailchimp", `${HEX32}-us\\d{1,2}`],
  ["Mailgun key", "mailgun", `key-${HEX32}|[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}`],
  ["Mapbox token", "mapbox", "(?:pk|sk)\\.[a-z0-9_-]{60,120}\\.[a-z0-9_-]{22}"],
  ["Mattermost token", "mattermost", some(26)],
  ["MessageBird token", "message_bird", some(25)],
  ["Mistral key", "mistral", some(32)],
  ["Netlify token", "netlify", some("40,46", "=_-")],
  ["New Relic key", "new_relic", some(64)],
  ["New York Times key", "nytimes|new_york_times", some(32, "=_-")],
  ["Okta token", "okta", `00${some(40, "=_-")}`],
  ["Plaid secret", "plaid", some(30)],
  ["Private AI key", "private_ai", some(32)],
  ["RapidAPI key", "rapidapi", some(50, "_-")],
  ["Sendbird token", "sendbird", "[a-f0-9]{40}"],
  ["Sentry token", "sentry", "[a-f0-9]{64}"],
  ["SerpApi key", "serpapi|serp_api", "[a-f0-9]{64}"],
  ["Serper key", "serper", "[a-f0-9]{40}"],
  [
    "Sidekiq password",
    "bundle_enterprise__contribsys__com|bundle_gems__contribsys__com",
    "[a-f0-9]{8}:[a-f0-9]{8}",
  ],
  ["Snyk token", "snyk", UUID],
  ["Sonar token", "sonar_token|sonar_login|sonarqube", some(40, "=_-")],
  ["Sourcegraph token", "sourcegraph", "[a-f0-9]{40}"],
  ["Squarespace token", "squarespace", UUID],
  ["Sumo Logic key", "sumologic|sumo_logic|sumo_access|sumo_token|sumo_key", some(64)],
  ["Together key", "together", "[a-f0-9]{64}"],
  ["Travis CI token", "travis", some(22)],
  ["Twilio token", "twilio", HEX32],
  ["Twitch token", "twitch", some(30)],
  ["Twitter bearer token", "twitter", "a{22}[a-z0-9%]{80,100}"],
  ["Twitter key", "twitter", `\\d{15,25}-[a-z0-9]{20,40}|${some(50)}|${some(45)}|${some(25)}`],
  ["Weights & Biases key", "wandb", "[a-f0-9]{40}"],
  ["Yandex key", "yandex", "t1\\.[\\w-]{1,400}={0,2}\\.[\\w-]{86}={0,2}|AQVN[\\w-]{35,38}|YC[\\w-]{38}"],
  ["Zendesk secret", "zendesk", some(40)],
  ["Zhipu key", "zhipu|bigmodel|glm_api|zai_api", "[a-f0-9]{32}\\.[a-z0-9]{16}"],
];

/** The spellings of a name in lower case; the longest words of it tell it from other texts. */
function keywordsOf(names: string): readonly string[] {
  return names.split("|").flatMap((name) => {
    if (!/[a-z]_[a-z]/.test(name)) return [name];
    return ["_", "-", ".", ""].map((between) => name.replaceAll(/(?<=[a-z])_(?=[a-z])/g, between));
  });
}

function shapeOf(names: string, value: string): RegExp {
  const name = names.replaceAll(/(?<=[a-z])_(?=[a-z])/g, "[_.-]?");
  return new RegExp(`(?:${name})[\\w.-]{0,30}?${ASSIGNED}(${value})(?![\\w+/-])`, "iy");
}

export const namedKinds: readonly ShapedKind[] = NAMED.map(([kind, names, value]) => ({
  kind,
  keywords: keywordsOf(names),
  shape: shapeOf(names, value),
  isSecret: (found, name) => !isAboutCredential(name) && !isPlaceholder(found) && !isMadeOfWords(found),
  isWithinWords: true,
}));
