// Texts that match none of these are not searched, and the modules that search are not loaded for them.

/** Matches every text with a date or time: digits, or words before a weekday. */
export const TIME_HINT =
  String.raw`\d[:./-]\d|\d{8}|20\d\d|\d ?[時时시]|[٠-٩]{2}|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*[,.]? |` +
  "[Tt]oday|[Hh]eute|sommes|[Hh]oy|[Oo]ggi|[Hh]oje|[Vv]andaag|今天";

/** Match values that no process reports: an announced process id or time zone, an id with a time, or that of a client. */
export const UNMADE: readonly RegExp[] = [
  /(?:pid|process|worker).{0,64}?\d{3}|(?:zone|tz)\W|-[167][\da-f]{3}-[89ab]/is,
  /(?:\b|_)[a-z\d]{20}/i,
  /"(?:user_id|client_metadata|prompt_cache_key|safety_identifier)"/,
];
