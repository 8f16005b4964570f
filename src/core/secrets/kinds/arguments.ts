import { isPlaceholder, type ShapedKind } from "./kind.ts";
import { isMadeOfWords } from "./words.ts";

/** Known by their place: the arguments of commands and of clients in code, and a line of a file of passwords. */
export const argumentKinds: readonly ShapedKind[] = [
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
    // A line of .pgpass: host, port, database, user, password.
    keywords: [":5432:", ":*:", ":6432:", ":5433:"],
    before: 80,
    shape: /(?<![\w.*-])(?:[\w.-]{1,80}|\*):(?:\d{2,5}|\*):[^\s:"']{1,64}:[^\s:"']{1,64}:([^\s"']{6,200})/y,
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
