/**
 * Matches every text with a date or time: digits, or words before a weekday. Separate from `moments.ts`, which programs
 * load only for texts that match.
 */
export const TIME_HINT =
  String.raw`\d[:./-]\d|\d{8}|20\d\d|\d ?[時时시]|[٠-٩]{2}|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*[,.]? |` +
  "[Tt]oday|[Hh]eute|sommes|[Hh]oy|[Oo]ggi|[Hh]oje|[Vv]andaag|今天";
