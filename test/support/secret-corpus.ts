import { seeded } from "./seeded.ts";

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const WORD = LOWER + LOWER.toUpperCase() + DIGITS;

/** The alphabet of each letter in a pattern. */
const ALPHABETS: Readonly<Record<string, string>> = {
  d: DIGITS,
  h: `${DIGITS}abcdef`,
  H: `${DIGITS}ABCDEF`,
  a: LOWER + DIGITS,
  A: LOWER.toUpperCase() + DIGITS,
  w: WORD,
  u: `${WORD}-_`,
  b: `${WORD}+/`,
};

/**
 * The form of each kind of secret: the secret in braces; in it `<w36>` is 36 random characters of an alphabet above,
 * `<uuid>` a UUID, and `<64:…>` the base64 of the rest. Written from the issuers' documentation, not from the rules.
 */
const PATTERNS: Readonly<Record<string, readonly string[]>> = {
  "1Password secret key": ["{A3-<A6>-<A6>-<A5>-<A5>-<A5>-<A5>}"],
  "1Password token": ["{ops_eyJ<w300>}"],
  "Adafruit key": ["ADAFRUIT_IO_KEY={<a32>}"],
  "Adobe client secret": ["{p8e-<a32>}"],
  "age key": ["{AGE-SECRET-KEY-1<A58>}"],
  "Airtable key": ["airtable_api_key: '{<a17>}'"],
  "Airtable token": ["{pat<w14>.<h64>}"],
  "Algolia key": ['"algoliaApiKey": "{<a32>}"'],
  "Alibaba access key": ["{LTAI<w20>}"],
  "Alibaba secret key": ["ALIBABA_SECRET = '{<w30>}'"],
  "Anthropic key": ["{sk-ant-api03-<u93>AA}", "{sk-ant-admin01-<u93>AA}"],
  "Artifactory key": ["{AKCp<w69>}"],
  "Artifactory token": ["{cmVmd<w59>}"],
  "Asana secret": ["asana_client_secret = {<a32>}"],
  "AssemblyAI key": ["ASSEMBLYAI_API_KEY={<h32>}"],
  "Atlassian token": ["{ATATT3<u186>}", "JIRA_API_TOKEN={<a20><h4>}"],
  "Authress key": ["{sc_<a10>.<a5>.acc_<a20>.<w60>}"],
  "AWS access key": ["{AKIA<A16>}", "{ASIA<A16>}"],
  "AWS secret key": ["aws_secret_access_key = {<b40>}", '"SecretAccessKey": "{<b40>}"'],
  "Azure access key": [
    "Endpoint=sb://a.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={<b43>=}",
  ],
  "Azure client secret": ["AZURE_CLIENT_SECRET: {<w3>8Q~<w34>}"],
  "Azure key": ["{<w52>JQQJ99<w26>}", "AZURE_OPENAI_API_KEY={<h32>}", "Ocp-Apim-Subscription-Key: {<h32>}"],
  "Azure SAS signature": [
    "https://a.blob.core.windows.net/c/b?sv=2024-11-04&se=2027-01-01&sr=b&sp=r&sig={<w43>%3D}",
  ],
  "Azure storage key": [
    "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={<b86>==};EndpointSuffix=core.windows.net",
  ],
  "Baidu key": ["{bce-v3/ALTAK-<w21>/<h40>}"],
  "Beamer token": ["beamer_token: {b_<a44>}"],
  "bearer token": ["Authorization: Bearer {<w40>}"],
  "Bedrock key": ["{ABSK<b130>}"],
  "Bitbucket secret": ["bitbucket_client_secret='{<a64>}'"],
  "Bittrex key": ["BITTREX_SECRET={<a32>}"],
  "Brave Search key": ["{BSA<u28>}"],
  "Buildkite token": ["{bkua_<a40>}"],
  "Cerebras key": ["{csk-<a48>}"],
  "CircleCI token": ["{CCIPAT_<w22>_<h40>}"],
  "Cisco Meraki key": ["meraki_api_key = '{<h40>}'"],
  "ClickHouse key": ["{4b1d<w38>}"],
  "Clojars token": ["{CLOJARS_<a60>}"],
  "Cloudflare origin key": ["{v1.0-<h24>-<h146>}"],
  "Cloudflare token": ["CLOUDFLARE_API_TOKEN={<u40>}", "cloudflare_global_key: {<h37>}"],
  "Codecov token": ["CODECOV_TOKEN={<a32>}"],
  "Cohere key": ["COHERE_API_KEY={<w40>}", "CO_API_KEY={<w40>}"],
  "Coinbase token": ["coinbase_access_token = {<a64>}"],
  "Confluent key": ["CONFLUENT_SECRET={<a64>}"],
  "Contentful token": ["contentful_delivery_token: {<a43>}"],
  cookie: ["Cookie: {session=<w40>}", "Set-Cookie: {sid=<w32>}; Path=/"],
  "database password": [
    "postgres://app:{<w20>}@db.internal.net:5432/orders",
    "Server=db.internal.net;Database=a;User Id=app;Password={<w18>};",
    "db.internal.net:5432:orders:app:{<w20>}",
  ],
  "Databricks token": ["{dapi<h32>}"],
  "Datadog key": ["DATADOG_API_KEY={<h32>}", "DD_APP_KEY={<h40>}"],
  "Deepgram key": ["DEEPGRAM_API_KEY={<h40>}"],
  "Defined Networking token": ["{dnkey-<a26>-<a52>}"],
  "DigitalOcean token": ["{dop_v1_<h64>}", "{doo_v1_<h64>}", "{dor_v1_<h64>}"],
  "Discord token": ["discord_client_secret={<u32>}", "{MTA5<64:8765432109876543>.G<w5>.<u38>}"],
  "Discord webhook": ["{https://discord.com/api/webhooks/<d18>/<u68>}"],
  "Docker token": ["{dckr_pat_<u27>}"],
  "Doppler token": ["{dp.pt.<w43>}"],
  "Drone CI token": ["droneci_token={<a32>}"],
  "Dropbox token": ["{sl.<u135>}", "dropbox_token={<a15>}"],
  "Duffel token": ["{duffel_live_<u43>}"],
  "Dynatrace token": ["{dt0c01.<A24>.<A64>}"],
  "E2B key": ["{e2b_<h40>}"],
  "EasyPost key": ["{EZAK<w54>}"],
  "ElevenLabs key": ["{sk_<h48>}", "ELEVENLABS_API_KEY={<h32>}"],
  "Etsy token": ["ETSY_TOKEN={<a24>}"],
  "Exa key": ["EXA_API_KEY={<uuid>}"],
  "Facebook secret": ["facebook_app_secret: {<h32>}"],
  "Facebook token": ["{EAAM<w120>}", "facebook_token={<d15>|<u30>}"],
  "Fastly token": ["FASTLY_TOKEN={<u32>}"],
  "Figma token": ["{figd_<u40>}"],
  "Finicity key": ["finicity_app_key={<h32>}"],
  "Finnhub token": ["FINNHUB_TOKEN={<a20>}"],
  "Firecrawl key": ["{fc-<h32>}"],
  "Fireworks key": ["{fw_<w24>}"],
  "Flickr token": ["flickr_key = {<a32>}"],
  "Flutterwave key": ["{FLWSECK_TEST-<h32>-X}"],
  "Fly.io token": ["{fo1_<u43>}"],
  "Frame.io token": ["{fio-u-<u64>}"],
  "Freemius key": ["'secret_key' => '{sk_<w29>}'"],
  "FreshBooks token": ["freshbooks_token = {<a64>}"],
  "GitHub token": ["{ghp_<w36>}", "{ghs_<w36>}", "{github_pat_<w22>_<w59>}"],
  "GitLab session": ["{_gitlab_session=<a32>}"],
  "GitLab token": ["{glpat-<u20>}", "{gldt-<u20>}", "{glrt-<u20>}", "{GR1348941<u20>}"],
  "Gitter token": ["gitter_token={<a40>}"],
  "GoCardless token": ["GOCARDLESS_TOKEN={live_<u40>}"],
  "Google key": ["{AIza<u35>}", "{AQ.Ab8<u47>}"],
  "Google OAuth secret": ["{GOCSPX-<u28>}"],
  "Google OAuth token": ["{ya29.<u160>}", "{1//0<u100>}"],
  "Grafana token": ["{glsa_<w32>_<h8>}", "{glc_<w80>}"],
  "Groq key": ["{gsk_<w52>}"],
  "Harness key": ["{pat.<u22>.<w24>.<w20>}"],
  "Helicone key": ["{sk-helicone-<a30>}"],
  "Heroku key": ["HEROKU_API_KEY={<uuid>}", "{HRKU-AA<u58>}"],
  "HubSpot key": ["hubspot_api_key={<uuid>}"],
  "HubSpot token": ["{pat-na1-<uuid>}"],
  "Hugging Face token": ["{hf_<w34>}"],
  "Infracost token": ["{ico-<w32>}"],
  "Intercom token": ["intercom_token={<u60>}"],
  "Intra42 secret": ["{s-s4t2ud-<h64>}"],
  "JFrog key": ["JFROG_TOKEN={<a73>}"],
  "Jina key": ["{jina_<w60>}"],
  "JSON web token": ['{<64:{"alg":"HS256","typ":"JWT"}>.<64:{"sub":"<a20>"}>.<u43>}'],
  "key of a client": ['co = cohere.Client("{<w40>}")', "new Exa('{<uuid>}')"],
  "Kraken token": ["KRAKEN_SECRET={<b86>}"],
  "Kubernetes secret": ["kind: Secret\nmetadata:\n  name: a\ndata:\n  credential: {<64:<w24>>}\n"],
  "KuCoin key": ["kucoin_key={<h24>}"],
  "LangSmith key": ["{lsv2_pt_<h32>_<h10>}"],
  "Langfuse key": ["{sk-lf-<uuid>}"],
  "LaunchDarkly token": ["launchdarkly_token={<u40>}"],
  "Linear key": ["{lin_api_<w40>}"],
  "Linear secret": ["linear_client_secret={<h32>}"],
  "LinkedIn secret": ["linkedin_client_secret={<a16>}"],
  "LlamaCloud key": ["{llx-<w48>}"],
  "Lob key": ["lob_api_key={live_<h35>}"],
  "Looker secret": ["looker_client_secret={<a24>}"],
  "Mailchimp key": ["mailchimp_key={<h32>-us12}"],
  "Mailgun key": ["MAILGUN_KEY={key-<h32>}", "{key-<h32>}"],
  "Mapbox token": ["MAPBOX_TOKEN={pk.<a60>.<a22>}"],
  "Mattermost token": ["mattermost_token={<a26>}"],
  "MaxMind key": ["{<w6>_<w29>_mmk}"],
  "MessageBird token": ["messagebird_token={<a25>}"],
  "Mistral key": ["MISTRAL_API_KEY={<w32>}"],
  "Netlify token": ["NETLIFY_AUTH_TOKEN={<u44>}"],
  "New Relic key": ["{NRAK-<A27>}", "{NRII-<w32>}"],
  "New York Times key": ["nytimes_key={<a32>}"],
  "Notion token": ["{ntn_<d11><w35>}"],
  "npm token": ["{npm_<w36>}"],
  "NVIDIA key": ["{nvapi-<u64>}"],
  "Octopus Deploy key": ["{API-<A26>}"],
  "Okta token": ["OKTA_TOKEN={00<w40>}"],
  "OpenAI key": ["{sk-proj-<u74>T3BlbkFJ<u74>}", "{sk-<w48>}", "{sk-svcacct-<u74>}"],
  "OpenRouter key": ["{sk-or-v1-<h64>}"],
  "OpenShift token": ["{sha256~<u43>}"],
  "password in a command": [
    "curl -X POST -u deploy:{<w20>} https://a.internal.net",
    "mysql -u root -p{<w20>} shop",
    "docker login -u me -p {<w20>} registry.example.com",
    "sshpass -p {<w20>} ssh a@b",
  ],
  "password in code": ['requests.get(url, auth=("deploy", "{<w20>}"))'],
  "password in a header": ["Authorization: Basic {<64:deploy:<w20>>}"],
  "password in a URL": [
    "https://deploy:{<w20>}@git.internal.net",
    "redis://default:{<w24>}@cache.internal.net:6379/0",
    "amqps://app:{<w18>}@mq.internal.net",
    "https://oauth2:{<w600>}@git.internal.net/a.git",
  ],
  "Perplexity key": ["{pplx-<w48>}"],
  "Pinecone key": ["{pcsk_<w6>_<w60>}"],
  "Plaid secret": ["PLAID_SECRET={<h30>}"],
  "Plaid token": ["{access-sandbox-<uuid>}"],
  "PlanetScale password": ["{pscale_pw_<w43>}"],
  "PlanetScale token": ["{pscale_tkn_<w43>}"],
  "PostHog key": ["{phx_<w43>}"],
  "Postman key": ["{PMAK-<h24>-<h34>}"],
  "Prefect token": ["{pnu_<w36>}"],
  "Private AI key": ["private_ai_key={<a32>}"],
  "private key": [
    "{-----BEGIN RSA PRIVATE KEY-----\nMII<b61>\n<b64>\n<b64>\n<b30>==\n-----END RSA PRIVATE KEY-----}",
  ],
  "Pulumi token": ["{pul-<h40>}"],
  "PyPI token": ["{pypi-AgEIcHlwaS5vcmc<u150>}"],
  "RapidAPI key": ["RAPIDAPI_KEY={<a50>}"],
  "ReadMe token": ["{rdme_<a70>}"],
  "Replicate token": ["{r8_<w37>}"],
  "RubyGems token": ["{rubygems_<h48>}"],
  "Scalingo token": ["{tk-us-<u48>}"],
  "secret by its name": [
    "DB_PASSWORD={<w16>}",
    "ansible_ssh_pass={<w16>}",
    '<add key="ClearTextPassword" value="{<w16>}" />',
    "pass: {<w16>}",
    "SESSION_SECRET='{<w32>}'",
    '"client_secret": "{<w24>}"',
    "my_service_token: {<w32>}",
    "x-api-key: {<w32>}",
    "aws_session_token = {<w700>}",
  ],
  "Sendbird token": ["sendbird_token={<h40>}"],
  "SendGrid key": ["{SG.<w22>.<w43>}"],
  "Sendinblue key": ["{xkeysib-<h64>-<w16>}"],
  "Sentry token": ["{sntryu_<h64>}", "{sntrys_eyJ<w100>_<b43>}"],
  "SerpApi key": ["SERPAPI_API_KEY={<h64>}"],
  "Serper key": ["SERPER_API_KEY={<h40>}"],
  "SettleMint token": ["{sm_pat_<w16>}"],
  "Shippo token": ["{shippo_live_<h40>}"],
  "Shopify token": ["{shpat_<h32>}"],
  "Sidekiq password": ["BUNDLE_ENTERPRISE__CONTRIBSYS__COM={<h8>:<h8>}"],
  "Slack token": ["{xoxb-<d12>-<d13>-<w24>}", "{xapp-1-A<A10>-<d13>-<h64>}", "{xoxe.xoxp-1-<A166>}"],
  "Slack webhook": ["{https://hooks.slack.com/services/T<A10>/B<A10>/<w24>}"],
  "Snyk token": ["SNYK_TOKEN={<uuid>}"],
  "Sonar token": ["{squ_<h40>}"],
  "Sourcegraph token": ["{sgp_<h40>}"],
  "Square token": ["{sq0atp-<u22>}"],
  "Squarespace token": ["squarespace_token={<uuid>}"],
  "Stripe key": ["{sk_live_<w24>}", "{rk_test_<w99>}"],
  "Stripe secret": ["{whsec_<w32>}"],
  "Sumo Logic key": ["sumologic_key={<a64>}"],
  "Supabase key": ["{sb_secret_<u31>}"],
  "Supabase token": ["{sbp_<h40>}"],
  "Tailscale key": ["{tskey-auth-<w12>-<w32>}"],
  "Tavily key": ["{tvly-dev-<w32>}"],
  "Teams webhook": [
    "{https://contoso.webhook.office.com/webhookb2/<uuid>@<uuid>/IncomingWebhook/<h32>/<uuid>}",
  ],
  "Telegram token": ["{<d10>:AA<u33>}"],
  "Terraform token": ["{<w14>.atlasv1.<u67>}"],
  "Together key": ["TOGETHER_API_KEY={<h64>}"],
  "Travis CI token": ["travis_token={<w22>}"],
  "Twilio key": ["{SK<h32>}"],
  "Twilio token": ["TWILIO_AUTH_TOKEN={<h32>}", 'Client(account_sid, "{<h32>}")'],
  "Twitch token": ["twitch_token={<a30>}"],
  "Twitter bearer token": ["twitter_bearer={AAAAAAAAAAAAAAAAAAAAAA<w85>}"],
  "Twitter key": ["twitter_api_secret={<w50>}", "twitter_access_token={<d18>-<w40>}"],
  "Typeform token": ["{tfp_<u59>}"],
  "Vault token": ["{hvs.<u95>}", "VAULT_TOKEN={s.<w24>}"],
  "Vercel token": ["{vcp_<w40>}"],
  "Voyage key": ["{pa-<u43>}"],
  "Weights & Biases key": ["WANDB_API_KEY={<h40>}"],
  "xAI key": ["{xai-<w80>}"],
  "Yandex key": ["YANDEX_KEY={AQVN<u36>}"],
  "Zendesk secret": ["zendesk_secret={<a40>}"],
  "Zhipu key": ["ZHIPU_API_KEY={<h32>.<w16>}", "{<h32>.<w16>}"],
};

/** A secret as it is met. */
export interface Specimen {
  readonly kind: string;
  readonly text: string;
  /** The part of the text that must not be written. */
  readonly secret: string;
}

/** Every kind in every way it is met, the same for the same seed. */
export function specimens(seed: number): readonly Specimen[] {
  const random = seeded(seed);
  const some = (alphabet: string): string => alphabet[Math.floor(random() * alphabet.length)] ?? "";
  // Short ones without a digit are words as far as anybody can tell.
  return made((alphabet, length) =>
    Array.from({ length }, (_, at) => some(at === 3 && length > 5 ? DIGITS : alphabet)).join(""),
  );
}

/** These kinds are recognized by their structure or their beginning, not only by random characters. */
const BUILT = new Set(["JSON web token", "Kubernetes secret", "password in a header", "private key"]);

/** The same texts with what documentation has in the place of a secret: one character over and over, or nothing. */
export function placeholders(): readonly Specimen[] {
  return [...made((_, length) => "x".repeat(length)), ...made(() => "")].filter(
    ({ kind }) => !BUILT.has(kind),
  );
}

type Fill = (alphabet: string, length: number) => string;

function made(fill: Fill): readonly Specimen[] {
  return Object.entries(PATTERNS).flatMap(([kind, patterns]) =>
    patterns.map((pattern) => {
      const [, before = "", secret = "", after = ""] = /^([^{]*)\{(.*)\}([^}]*)$/s.exec(pattern) ?? [];
      const filled = filledIn(secret, fill);
      return { kind, secret: filled, text: `${before}${filled}${after}` };
    }),
  );
}

function filledIn(pattern: string, fill: Fill): string {
  return pattern
    .replaceAll("<uuid>", "<h8>-<h4>-<h4>-<h4>-<h12>")
    .replaceAll(/<([a-zA-Z])(\d+)>/g, (_, name: string, length: string) =>
      fill(ALPHABETS[name] ?? "", Number(length)),
    )
    .replaceAll(/<64:([^>]*)>/g, (_, text: string) =>
      Buffer.from(text).toString("base64").replace(/=+$/, ""),
    );
}
