/** A pattern with a name. If it has a group, only the group is replaced. */
export interface NamedPattern {
  /** RE2 syntax. */
  readonly source: string;
  /** A cheap pattern that every text with a match contains, so that most texts need no search. */
  readonly hint: RegExp;
  readonly meaning: string;
  /** Replaces a match. */
  readonly by: string;
  /** Checks a match. Default: every match counts. */
  readonly isOne?: (found: string) => boolean;
  /** Whether different matches in one request get different numbers, so that they stay different. */
  readonly numbered?: boolean;
}

const MONTH =
  "(?i:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)";
const WEEKDAY =
  "(?:(?i:Mon(?:day)?|Tue(?:s(?:day)?)?|Wed(?:nesday)?|Thu(?:rs(?:day)?)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?)[.,]? +)?";
const FOREIGN_MONTH =
  "(?i:januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)";
const DAY = String.raw`(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?`;
const YEAR = String.raw`(?:19|20)\d{2}`;
const TIME = String.raw`(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?`;
const ZONE = String.raw`(?: ?(?:GMT|UTC)(?:[+-]\d{2}:?\d{2})?| ?[+-]\d{2}:?\d{2})?`;
const AFTER = String.raw`(?:(?:,|:| at)? *${TIME}(?: ?[AaPp][Mm]\b)?${ZONE})?`;
/** Ports that a system assigns if a program requests any free one. */
const ANY_PORT = String.raw`(?:3276[89]|327[7-9]\d|32[89]\d{2}|3[3-9]\d{3}|[45]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])`;
/** Words before or after identifiers that systems, tests, and tools create for one run. */
const MADE =
  "(?:run|job|session|sess|request|req|trace|span|task|build|test|tmp|temp|thread|conversation|conv|chat|room|user|runner|msg|message|node|pod|worker|instance|id|uid|ref|nonce|token|key)";
/** Characters in the names of Kubernetes pods. */
const POD = "[bcdfghjklmnpqrstvwxz2456789]";
const POD_NAME = new RegExp(`^${POD}{8,10}-${POD}{5}$`);
/** Seconds from 2020 to 2033. */
const SECONDS = String.raw`(?:1[6-9]\d{8})`;

/**
 * Volatile values by their names in rules, the simplest first. In a pattern, a `$` before a letter cannot match, so that
 * the names hide no pattern. Similar values that change the request do not match: prices, years, order numbers.
 */
export const NAMED_PATTERNS: Readonly<Record<string, NamedPattern>> = {
  $uuid: {
    source: String.raw`(?:\b|_)([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})(?:\b|_)`,
    hint: /[0-9a-f]{8}-[0-9a-f]{4}-/i,
    meaning: "UUIDs",
    by: "<uuid>",
  },
  $isoDate: {
    source: String.raw`(?:\b|_)(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z\b|[+-]\d{2}:?\d{2}\b)?|[T_-]\d{2}[.-]\d{2}[.-]\d{2}|)|\d{4}-W(?:0[1-9]|[1-4]\d|5[0-3])(?:-[1-7])?)(?:\b|_)`,
    hint: /\d{4}-(?:[01]\d-|W\d)/,
    meaning: "dates and times such as 2026-01-31 and 2026-01-31T12:00:00Z",
    by: "<date>",
  },
  $tempFolder: {
    // `<temp>` is the origin of the folder above, which is in the text already.
    source: String.raw`(?:/private)?/(?:tmp|var/tmp|var/folders/[^/\s"'<>]+/[^/\s"'<>]+/T)/(?:pytest-of-[^/\s"'<>]+/pytest-\d+\b(?:/popen-gw\d+\b)?|[^/\s"'<>:,;)\]]+)|(?:[A-Za-z]:(?:\\\\?|/)Users(?:\\\\?|/)[^\\/\s"'<>]+(?:\\\\?|/)AppData(?:\\\\?|/)Local(?:\\\\?|/)Temp|<temp>)(?:\\\\?|/)(?:pytest-of-[^\\/\s"'<>]+(?:\\\\?|/)pytest-\d+\b(?:(?:\\\\?|/)popen-gw\d+\b)?|[^\\/\s"'<>:,;)\]]+)|\b(pytest-\d+(?:/popen-gw\d+)?)[/\\]|\b(tmp[a-z0-9_]{8})\b`,
    hint: /tmp|folders|temp|pytest-\d/i,
    meaning:
      "folders for temporary files, on Linux, macOS and Windows; pytest's with their number, wherever they are",
    by: "<temp>",
  },
  $hexId: {
    source: String.raw`(?:\b|_)([0-9a-f]{16,128}|[0-9A-F]{16,128})(?:\b|_)`,
    hint: /[0-9a-f]{16}/i,
    meaning: "hexadecimal ids of 16 digits or more: hashes, traces, commits",
    by: "<id>",
  },
  $date: {
    source: [
      `${WEEKDAY}\\b${MONTH}\\.? +${DAY},? +${YEAR}\\b${AFTER}`,
      `${WEEKDAY}\\b${MONTH} +${DAY} ${TIME} ${YEAR}\\b`,
      `${WEEKDAY}\\b${DAY}(?: of)?[ /-]+${MONTH}\\.?,?[ /-]+${YEAR}\\b${AFTER}`,
      String.raw`\b${MONTH} +${DAY},? +(?:[01]?\d|2[0-3]):[0-5]\d:[0-5]\d\b`,
      // A file's, in a list with sizes; and a month that is behind a word.
      String.raw`\d +(${MONTH} +${DAY} +(?:[01]\d|2[0-3]):[0-5]\d) `,
      String.raw`\b(?i:today|current (?:date|month))["']?(?: is)?[: ]+(?:in )?(${MONTH},? +${YEAR})\b`,
      String.raw`\b(?i:today(?:'s date)?(?: is)?:? )(${WEEKDAY}(?:${MONTH} +${DAY}|${DAY} +${MONTH})(?:,? +${YEAR}\b${AFTER})?|(?i:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)\b`,
      String.raw`\b(?:0?[1-9]|[12]\d|3[01])/(?:0?[1-9]|[12]\d|3[01])/${YEAR}\b${AFTER}`,
      String.raw`\b(?:0[1-9]|[12]\d|3[01])\.(?:0[1-9]|1[0-2])\.${YEAR}\b${AFTER}`,
      String.raw`\b${YEAR}/(?:0[1-9]|1[0-2])/(?:0[1-9]|[12]\d|3[01])\b${AFTER}`,
      String.raw`(?:\b|_)(${YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[T_-](?:[01]\d|2[0-3])[0-5]\d[0-5]\d)(?:Z\b|\b|_)`,
      String.raw`\b${YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d[0-5]\d\b`,
      String.raw`\b(?i:backup|log|report|dump|snapshot|export|archive)s?[-_.](${YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))(?:\b|_)`,
      String.raw`\b(?i:date|today)\b[^0-9\n]{0,16}((?:0?[1-9]|[12]\d|3[01])/(?:0?[1-9]|[12]\d|3[01])/\d{2})\b`,
      String.raw`\b${DAY}\.? (?:de )?(?:${MONTH}|${FOREIGN_MONTH}),?(?: de)? ${YEAR}\b${AFTER}`,
      String.raw`\b(?i:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? ${MONTH}\.? +${DAY}\b(?: ${TIME} [A-Z]{3,4} ${YEAR}\b)?`,
      String.raw`\b${YEAR}年 ?\d{1,2}月 ?\d{1,2}日`,
    ].join("|"),
    hint: /\d[/.]\d|\d{8}|day|jan|f[eé][bv]|mar|mär|a[bpv]r|ma[iy]|ju[inl]|a[ou]|ago|sep|o[ck]t|nov|d[eé][cz]|dic|ener|年/i,
    meaning:
      "dates as people, HTTP headers and logs write them: Friday, January 2, 2026; without a year behind today",
    by: "<date>",
  },
  $clock: {
    source: String.raw`\b((?:[01]?\d|2[0-3]):[0-5]\d:[0-5]\d(?:[.,]\d{1,9})?(?: ?[AaPp]\.?[Mm]\b)?|(?:0?[1-9]|1[0-2]):[0-5]\d ?[AaPp]\.?[Mm])\b|\b((?:[01]\d|2[0-3]):[0-5]\d) ?(?:UTC|GMT|CES?T|[ECMP][SD]T)\b|\b(?i:time|clock|now|current time)\b[^0-9\n]{0,24}((?:[01]\d|2[0-3]):[0-5]\d(?: ?[AaPp]\.?[Mm]\b)?)\b`,
    hint: /\d:\d\d/,
    meaning: "times of day: 14:05:09, 2:05 PM; 14:05 behind a word such as time or now",
    by: "<time>",
  },
  $epoch: {
    source: String.raw`(?:\b|_)(1[6-9]\d{11}|${SECONDS}\.\d{3,9})\b|(?i:\b(?:timestamp|time|epoch|unix|ts|now|created|updated|expires|iat|exp)(?:_at)?["']?[ :=@]+(?:is )?)(${SECONDS}(?:\.\d{1,9})?)\b|\b(?i:run|job|session|test|tmp|temp|trace|build)[-_](${SECONDS})\b`,
    hint: /1[6-9]\d{8}/,
    meaning: "seconds since 1970 behind a word such as timestamp, seconds with a fraction, and milliseconds",
    by: "<epoch>",
  },
  $callId: {
    source: String.raw`\b((?:call|toolu|srvtoolu|tooluse|chatcmpl|cmpl|resp|msg|rs|fc|req|run|thread|file|batch|asst|aitxt|aiobj|pyd_ai)[_-](?:(?:bdrk|vrtx|tool)[_-])?[A-Za-z0-9]{16,64})\b|\b(?i:message-id|in-reply-to|references): <([^@\s]{12,128})@`,
    hint: /[_-][A-Za-z0-9]{16}|: </,
    meaning:
      "ids that providers give to calls, messages and replies: call_…, toolu_…, chatcmpl-…; those of mails",
    by: "<call-id>",
    numbered: true,
  },
  $ulid: {
    source: String.raw`(?:\b|_)(01[0-9A-HJKMNP-TV-Z]{24}|01[0-9a-hjkmnp-tv-z]{24})\b`,
    hint: /01[0-9A-Z]{24}/i,
    meaning: "ULIDs",
    by: "<ulid>",
  },
  $address: {
    source: String.raw`\b(0x(?:[0-9a-f]{9,16}|[0-9A-F]{9,16}))\b|\bat (0x[0-9a-fA-F]{6,16})>|\b[A-Z]\w*@([0-9a-f]{6,8})\b`,
    hint: /(?:0x|@)[0-9a-f]{6}/i,
    meaning: "addresses in memory, such as in Python's <object at 0x7f3c2a1b4d90>",
    by: "<address>",
  },
  $port: {
    source: String.raw`(?:\blocalhost|\b127\.0\.0\.1|\b0\.0\.0\.0|\[::1\]):(${ANY_PORT})\b|\b(?i:port)[ =:]+(${ANY_PORT})\b|["'](?:localhost|127\.0\.0\.1|0\.0\.0\.0|::1?)["'], ?(${ANY_PORT})\b|\b(?i:listening|running|serving|bound|started)\b[^0-9\n]{0,24}:(${ANY_PORT})\b`,
    hint: /\d{5}/,
    meaning:
      "ports that the system chose, 32768 and above, on this machine or behind a word such as port or listening",
    by: "<port>",
  },
  $pid: {
    source: String.raw`\b(?i:pid|ppid|process id|thread id)["']?[ :=#(]{1,3}(\d{1,7})\b|\b(?:process|python\d?|node|gunicorn|uvicorn|celery|nginx|sshd|cron) ?\[(\d{1,7})\]|\] \[(\d{2,7})\] \[|\bworker[-_](\d{4,7})\b|\b(?i:run|job|build|pipeline|workflow) #(\d{5,12})\b|\bname='Task-(\d+)'|\bgoroutine (\d+)\b|\bstarted (?:daemon )?(\d{12,16})\b|\b(?i:process|subprocess|worker|child) (\d{4,7}) (?:exited|crashed|died|terminated|stopped|started|was killed|was started|is not responding)\b`,
    hint: /[pt]id|process|thread id|\[\d|worker|started|child| #\d{5}|Task-|goroutine/i,
    meaning:
      "ids of processes and threads, behind pid, process id or thread id; tasks of asyncio, long numbers of jobs",
    by: "<pid>",
  },
  $duration: {
    source: String.raw`\b(?i:took|taken|elapsed|duration|latency|runtime|(?:passed|failed|finished|completed|done|ran|built|succeeded|executed|compiled)(?:[^.\n0-9]{0,60} )?in|total time|packages in|successful in|ran \d+ tests? in|(?:warnings?|errors?|skipped|deselected|xfailed|xpassed) in)(?: time)?["']?[ :=]+(?:about )?(\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|milliseconds?))\b|[a-z]ed in (\d+(?:\.\d+)? ?(?:ns|µs|us|ms)|\d+\.\d+ ?(?:s|secs?|seconds?))\b|\b(?:transform|setup|collect|import|tests|environment|prepare) +(\d+(?:\.\d+)?m?s)\b|\bok(?:\t| )+\S+(?:\t| )+(\d+\.\d+s)\b|\b(?i:created|updated|modified|started|seen|built|pushed|pulled):? (\d+ (?:second|minute|hour|day)s? ago)\b| {2,}((?:About an?|\d+) (?:second|minute|hour|day)s? ago)\b|\b(\d+(?:\.\d+)? ?ms) (?:total|elapsed)\b|\((\d+(?:\.\d+)?ms|\d+\.\d+ ?s)\)|\b(?:is up|Up) (\d+ (?:seconds?|minutes?|hours?))\b|\bTime: +(\d+\.\d+ ?s)\b|\b(?:real|user|sys)(?:\t| )+(\d+m\d+\.\d+s)\b|\b(?i:duration|elapsed|latency|runtime)_?(?i:ms|s|secs?|seconds|milliseconds|us|ns)["']?[ :=]+(\d+(?:\.\d+)?)\b`,
    hint: /\d ?(?:[nuµm]?s|milli|m\d)|\bup\b|duration|elapsed|latency|runtime|ago/i,
    meaning: "how long something took: took 0.31 s, 3 passed in 1.2s, (45ms)",
    by: "<duration>",
  },
  $monotonic: {
    source: String.raw`\b(?i:monotonic|perf_counter|performance\.now|hrtime|uptime|ticks)(?:_ns)?\b[^0-9\n]{0,16}(\d+(?:\.\d+)?)\b`,
    hint: /monotonic|perf_counter|performance\.now|hrtime|uptime|ticks/i,
    meaning:
      "clocks that count from a start, behind monotonic, perf_counter, performance.now, hrtime, uptime or ticks",
    by: "<ticks>",
  },
  $shortHash: {
    source: String.raw`\b(?i:commit|HEAD(?: is(?: now)?(?: at)?)?|sha|revision|rev|container|image|digest|checksum|etag|hash)["']?[ :=@/(]{1,3}["']?([0-9a-f]{7,15})\b|\[[\w./-]+(?: \(root-commit\))? ([0-9a-f]{7,12})\]|\bindex ([0-9a-f]{7,12}\.\.[0-9a-f]{7,12})\b|(?m:^)([0-9a-f]{12}) {2,}|(?i:(?:\b|_)${MADE})["']?(?:[-_/]|[ :=#]{1,3})["']?([0-9a-f]{8}|[0-9a-f]{12})\b`,
    hint: /[0-9a-f]{7}/i,
    meaning: "hexadecimal ids of 7 to 15 digits behind a word: commit 8f14e45, run-3f9a1c2b",
    by: "<hash>",
    isOne: (found) => /[a-f]/.test(found) && /\d/.test(found),
  },
  $randomId: {
    // A token is matched as a whole: a piece of base64 is none.
    source: String.raw`(?i:\b${MADE})["']?(?:[-_/]|[ :=#]{1,3})["']?([A-Za-z0-9]{8,20})\b|\b[a-z][a-z0-9-]*-(${POD}{8,10}-${POD}{5})\b|([A-Za-z0-9_+-]{21,}={0,2})|\bW/"([^"\s]{8,64})"`,
    hint: /[A-Za-z0-9_+-]{21}|W\/"|-[b-df-hj-np-tv-xz24-79]{8}|(?=[A-Za-z0-9-]{8})[A-Za-z-]{0,30}\d/,
    meaning:
      "random ids of letters and digits: nanoid, cuid, KSUID, pods; of 8 to 20 behind a word such as session",
    by: "<random-id>",
    isOne: looksRandom,
  },
  $seed: {
    source: String.raw`\b(?i:seed|random number)["']?[ :=]+(?:is )?(\d{3,20})\b`,
    hint: /seed|random number/i,
    meaning: "seeds of random numbers, of 3 digits or more, behind the word seed",
    by: "<seed>",
  },
};

/** Words and names seldom go from letters to digits, or from small to capital letters; what is drawn at random does all the time. */
function looksRandom(text: string): boolean {
  if (POD_NAME.test(text) || /^[0-9a-f]{1,8}-[\w+/]{27}$/.test(text)) return true;
  if (text.length > 20 && !/^(?:[\w-]{21,22}|c[a-z0-9]{24}|[a-z][a-z0-9]{23}|[A-Za-z0-9]{27})$/.test(text))
    return false;
  const kinds = Array.from(text.replaceAll(/[_-]/g, ""), (char) =>
    /\d/.test(char) ? 0 : /[a-z]/.test(char) ? 1 : 2,
  );
  const changes = kinds.filter((kind, index) => index > 0 && kind !== kinds[index - 1]).length;
  return (
    kinds.includes(0) &&
    new Set(kinds).size > 1 &&
    changes >= (kinds.includes(1) && kinds.includes(2) ? 0.4 : 0.25) * kinds.length
  );
}
