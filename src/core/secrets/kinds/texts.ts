import { ASSIGNED, computeEntropy, type ShapedKind, isPlaceholder } from "./kind.ts";
import { isMadeOfWords } from "./words.ts";

const HEX_DIGITS = Array.from("0123456789abcdef");
const HEX_PAIRS = HEX_DIGITS.flatMap((first) => HEX_DIGITS.map((second) => first + second));

/** What base64 of two digits begins with: the id of a bot's user, in decimal, is the beginning of its token. */
const DIGITS_IN_BASE64 = Array.from({ length: 90 }, (_, at) =>
  btoa(`${at + 10}0`)
    .slice(0, 3)
    .toLowerCase(),
);

/** Decodes base64 of either alphabet to text; undefined if it is invalid. */
function base64Text(base64: string): string | undefined {
  try {
    return atob(base64.replaceAll("-", "+").replaceAll("_", "/").replaceAll("=", ""));
  } catch {
    return undefined;
  }
}

const hasDigitAndLetter = (value: string): boolean => /\d/.test(value) && /[a-z]/i.test(value);

/** Whether the password in a URL is real and not an example. */
function isRealPassword(value: string): boolean {
  const [, user = "", password = ""] = /:\/\/([^:]*):(.*)@/s.exec(value) ?? [];
  return password !== user && !isPlaceholder(password);
}

/** Secrets that are recognized by their structure: URLs, headers, tokens of several parts. */
export const textKinds: readonly ShapedKind[] = [
  {
    kind: "JSON web token",
    keywords: ["eyj"],
    shape: /eyJ[\w-]{10,4000}(?:\.[\w-]{0,12000}){2,4}/y,
    isSecret: (value) =>
      /"(?:alg|enc|typ)"/.test(base64Text(value.split(".", 1)[0] ?? "") ?? "") && /\.[\w-]{10}/.test(value),
  },
  {
    kind: "JSON web token",
    // The same in base64 once more, as a secret of Kubernetes has it.
    keywords: ["zxlk"],
    shape: /ZXlK[A-Za-z0-9+/_-]{40,8000}={0,2}/y,
    isSecret: (value) => /^eyJ[\w-]{10,}\./.test(base64Text(value) ?? ""),
  },
  {
    kind: "password in a header",
    keywords: ["basic"],
    shape: /basic\s{1,4}([A-Za-z0-9+/_-]{8,1000}={0,2})/iy,
    isSecret: (value) => /^[\x20-\x7e]+:[\x20-\x7e]{3,}$/.test(base64Text(value) ?? ""),
  },
  {
    kind: "bearer token",
    keywords: ["bearer"],
    shape: /bearer\s{1,4}([\w.~+/-]{16,4000}={0,2})/iy,
    isSecret: (value) => !isPlaceholder(value) && !isMadeOfWords(value),
  },
  {
    kind: "cookie",
    keywords: ["cookie"],
    shape:
      /cookie["'\\]{0,3}\s{0,2}[:=]\s{0,2}["'\\]{0,3}((?:[\w.-]{1,80}=[^\s;,"'\\]{0,4000}(?:;\s{0,2})?){1,50})/iy,
    isSecret: (value) =>
      [...value.matchAll(/=([^;]{16,})/g)].some(
        ([, one = ""]) => hasDigitAndLetter(one) && !isMadeOfWords(one),
      ),
  },
  {
    kind: "Mailgun key",
    keywords: ["key-"],
    shape: /key-[0-9a-f]{32}(?![0-9a-f])/y,
  },
  {
    kind: "Zhipu key",
    keywords: HEX_PAIRS.map((pair) => `${pair}.`),
    before: 30,
    shape: /[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![\w-]|\.\w)/y,
    isSecret: hasDigitAndLetter,
  },
  {
    kind: "database password",
    keywords: ["mongodb", "mysql://", "postgres", "mariadb://"],
    shape:
      /(?:mongodb(?:\+srv)?|mysql|mariadb|postgres(?:ql)?):\/\/[^\s/:@?#"'`<>\\]{0,128}:[^\s/?#"'`<>\\[\](){}|^,;]{3,2048}@[\w.-]{1,253}(?::\d{1,5})?(?:\/[\w-]{1,80})?/iy,
    isSecret: isRealPassword,
    isWithinWords: true,
  },
  {
    kind: "password in a URL",
    keywords: ["://"],
    before: 24,
    shape:
      /(?<!\\(?:u[0-9a-f]{0,3})?)[a-z][a-z0-9+.-]{1,23}:\/\/[^\s/:@?#"'`<>\\[\](){}|^,;]{0,128}:[^\s/?#"'`<>\\[\](){}|^,;]{3,2048}@[\w.-]{1,253}(?::\d{1,5})?/iy,
    isSecret: isRealPassword,
    isWithinWords: true,
  },
  {
    kind: "Slack webhook",
    keywords: ["hooks.slack.com"],
    before: 8,
    shape: /(?:https:\/\/)?hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{32,100}/iy,
  },
  {
    kind: "Teams webhook",
    keywords: ["webhook.office.com"],
    before: 40,
    shape: /https:\/\/[a-z0-9-]{1,30}\.webhook\.office\.com\/webhookb2\/[a-z0-9@/-]{60,300}/iy,
  },
  {
    kind: "Discord webhook",
    keywords: ["/api/webhooks/"],
    before: 30,
    shape: /https:\/\/(?:\w{1,8}\.)?discord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/[\w-]{60,80}/iy,
  },
  {
    kind: "Discord token",
    keywords: [...new Set(DIGITS_IN_BASE64)],
    shape: /[MNO][A-Za-z\d]{22,27}\.[\w-]{6}\.[\w-]{27,45}/y,
    entropy: 4,
    isSecret: (value) => /^\d{17,20}$/.test(base64Text(value.split(".", 1)[0] ?? "") ?? ""),
  },
  {
    kind: "Telegram token",
    keywords: [":aa"],
    before: 16,
    shape: /\d{5,16}:AA[\w-]{32,33}/y,
    entropy: 3.5,
  },
  {
    kind: "Terraform token",
    keywords: [".atlasv1."],
    before: 14,
    shape: /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}/y,
    entropy: 3.5,
  },
  {
    kind: "Authress key",
    keywords: [".acc_", ".acc-"],
    before: 46,
    shape:
      /(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,120}/iy,
    entropy: 3,
  },
  {
    kind: "Facebook token",
    keywords: ["facebook", "fb_"],
    shape: new RegExp(`(?:facebook|fb_)[\\w.-]{0,30}?${ASSIGNED}(\\d{15,16}(?:\\||%7C)[\\w-]{27,40})`, "iy"),
    entropy: 3,
    isWithinWords: true,
  },
  {
    kind: "MaxMind key",
    keywords: ["_mmk"],
    before: 36,
    shape: /[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk/y,
    entropy: 4,
  },
  {
    kind: "Vault token",
    keywords: ["vault"],
    shape: new RegExp(`vault[\\w.-]{0,30}?${ASSIGNED}(s\\.[A-Za-z0-9]{24})(?![\\w])`, "iy"),
    entropy: 3.5,
    isWithinWords: true,
  },
  {
    kind: "Azure storage key",
    keywords: ["accountkey"],
    shape: /accountkey["'\\]{0,3}\s{0,2}[:=]\s{0,2}["'\\]{0,3}([A-Za-z0-9+/]{86}==)/iy,
    isWithinWords: true,
  },
  {
    kind: "Azure access key",
    keywords: ["sharedaccesskey", "accesskey="],
    shape:
      /(?:shared)?accesskey["'\\]{0,3}\s{0,2}[:=]\s{0,2}["'\\]{0,3}([A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)/iy,
    isWithinWords: true,
  },
  {
    kind: "Azure SAS signature",
    keywords: ["sig="],
    shape: /sig=([A-Za-z0-9%+/_-]{40,200}(?:=|%3D)?)/iy,
    entropy: 4,
    isSecret: (value) => /(?:=|%3D)$/i.test(value) || /^[\w-]{43}$/.test(value),
  },
  {
    kind: "Azure client secret",
    keywords: Array.from("0123456789").map((digit) => `${digit}q~`),
    before: 3,
    shape: /[\w~.-]{3}\dQ~[\w~.-]{31,34}/y,
    entropy: 3,
    isWithinWords: true,
  },
  {
    kind: "Azure key",
    // Microsoft's identifiable keys: the letters in the middle say whose it is.
    keywords: ["jqqj99", "azfu", "azse", "acdb", "+acr", "+ast", "azdo", "+aiot", "apim", "+asb", "+aeh"],
    before: 77,
    shape:
      /[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}|[A-Za-z0-9+/_-]{42,76}(?:AzFu|AzSe|ACDb|\+ACR|\+ASt|AZDO|AIoT|APIM|\+ASb|\+AEh)[A-Za-z0-9+/_-]{4,6}(?:[AQgw]==|[A-Za-z0-9+/]=|[A-P])/y,
    entropy: 4.2,
  },
  {
    kind: "database password",
    keywords: ["password=", "pwd="],
    // A line for ADO, ODBC or libpq: other settings stand beside it.
    before: 160,
    shape:
      /(?:server|host|data source|user id|uid|user|dbname|database|initial catalog|port)\s?=\s?[^;"'\n]{1,80}?[; ][^"'\n]{0,70}?(?:password|pwd)\s?=\s?((?:[^;\s"'\\]|\\(?![nrt"'])){6,128})/iy,
    isSecret: (value) => !isPlaceholder(value),
    isWithinWords: true,
  },
  {
    kind: "password",
    keywords: ["password_hash", "$2a$", "$2b$", "$2y$", "$argon2"],
    shape: /(?:\$2[aby]\$\d\d\$[./A-Za-z0-9]{53})/y,
    isWithinWords: true,
  },
  {
    kind: "Kubernetes secret",
    keywords: ["kind: secret"],
    shape: /kind: secret[\s\S]{0,300}?data:\s{1,20}[\w.-]{1,60}:\s{0,4}["']?([A-Za-z0-9+/]{12,4000}={0,3})/iy,
    isSecret: (value) => base64Text(value) !== undefined && computeEntropy(value) >= 3,
  },
];

/** "Password" in other languages than English, and "key" in Chinese. */
const PASSWORDS =
  "contraseña|mot de passe|senha|wachtwoord|lösenord|kennwort|hasło|şifre|heslo|пароль|パスワード|비밀번호|密码|密碼|密钥|密鑰";

/** Known by their place: the arguments of commands and of clients in code, and a line of a file of passwords. */
export const argumentKinds: readonly ShapedKind[] = [
  {
    kind: "password",
    keywords: PASSWORDS.split("|").flatMap((word) =>
      word.length > 2 ? [word] : Array.from(":：是为為", (sign) => word + sign),
    ),
    shape: new RegExp(
      `(?:${PASSWORDS})(?:\\*\\*)?\\s{0,2}(?:[:：=是为為は]|est|es|é|is|lautet)(?:\\*\\*)?\\s{0,2}["'\\x60“「]?([!#-&(-[\\]-_a-~]{8,128})`,
      "iy",
    ),
    isWithinWords: true,
    isSecret: (value) => /\d/.test(value) && !isPlaceholder(value) && !isMadeOfWords(value),
  },
  {
    kind: "password in a command",
    keywords: ["curl", "http "],
    shape:
      /(?:curl|https?)\b[^\n]{0,400}?\s(?:-u|-a|--user|--auth|--proxy-user)[ =]{0,2}["'\\]{0,3}([^\s"':\\]{1,80}:[^\s"'\\]{3,200})/iy,
    isSecret: (value) => !isPlaceholder(value.slice(value.indexOf(":") + 1)),
  },
  {
    kind: "password in a command",
    keywords: ["mysql", "mariadb", "mongo"],
    shape: /(?:mysql|mariadb|mongo)[\w-]{0,12}\b[^\n]{0,300}?\s-p["'\\]{0,3}((?!--)[^\s"'\\]{6,200})/iy,
    isSecret: (value) => !isPlaceholder(value),
  },
  {
    kind: "password in a command",
    keywords: ["docker", "podman", "helm", "oras", "sshpass", "az login"],
    shape:
      /(?:(?:docker|podman|helm|oras)\b[^\n]{0,40}?\blogin|sshpass|az login)\b[^\n]{0,300}?\s-p[ =]{0,2}["'\\]{0,3}((?!--)[^\s"'\\]{6,2000})/iy,
    isSecret: (value) => !isPlaceholder(value),
  },
  {
    kind: "password in a command",
    keywords: ["redis-cli", "ldapsearch"],
    shape: /(?:redis-cli|ldap\w{3,9})\b[^\n]{0,300}?\s-[aw][ =]{0,2}["'\\]{0,3}((?!--)[^\s"'\\]{6,200})/iy,
    isSecret: (value) => !isPlaceholder(value),
  },
  {
    kind: "password in code",
    keywords: ["auth", "login("],
    // A user and its password as the two arguments of a call, or the members of a pair.
    shape:
      /(?:auth|login)\w{0,20}(?:["'\\]{0,3}\s{0,2}[=:,]\s{0,2})?(?:\w{0,40}auth\w{0,10})?\s{0,2}[([]\s{0,4}["'\\]{1,3}[^\s"'\\]{1,80}["'\\]{1,3}\s{0,2},\s{0,4}["'\\]{1,3}([^\s"'\\]{8,200})["'\\]/iy,
    isWithinWords: true,
    isSecret: (value) => !isPlaceholder(value) && !isMadeOfWords(value),
  },
  {
    kind: "database password",
    // A line of .pgpass: host, port, database, user, password. An escaped line end of JSON is not part of it.
    keywords: [":5432:", ":*:", ":6432:", ":5433:"],
    before: 80,
    shape:
      /(?<![\w.*-])(?:[\w.-]{1,80}|\*):(?:\d{2,5}|\*):[^\s:"']{1,64}:[^\s:"']{1,64}:((?:[^\s"'\\]|\\(?![nrt"'])){6,200})/y,
    isSecret: (value) => !isPlaceholder(value) && !isMadeOfWords(value),
    isWithinWords: true,
  },
  {
    kind: "Twilio token",
    keywords: Array.from("0123456789abcdef", (digit) => `ac${digit}`),
    shape: /AC[0-9a-f]{32}["'\\]{0,3}\s{0,4}[,:]\s{0,4}["'\\]{0,3}([0-9a-f]{32})(?![0-9a-f])/y,
  },
  {
    kind: "Twilio token",
    keywords: ["sid"],
    shape: /sid["'\])]{0,3}\s{0,2},\s{0,4}["'\\]{1,3}([0-9a-f]{32})["'\\]/iy,
    isWithinWords: true,
  },
  {
    kind: "key of a client",
    keywords:
      "client( clientv2( translator( app( api( sdk( exa( mistral( pinecone( deepgram( cohere( twilio( groq( resend(".split(
        " ",
      ),
    shape:
      /(?:client(?:v2)?|translator|app|api|sdk|exa|mistral|pinecone|deepgram|cohere|twilio|groq|resend)\(\s{0,20}(?:\w{1,20}\s{0,2}=\s{0,2})?["'\\]{1,3}([\w+/=.:-]{20,200})["'\\]/iy,
    isWithinWords: true,
    isSecret: (value) => /^[\w+/=-]+(?::fx)?$/.test(value) && !isPlaceholder(value) && !isMadeOfWords(value),
  },
];
