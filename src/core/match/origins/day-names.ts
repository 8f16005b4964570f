/** Names of months in the languages that prompts are often written in, and their short forms. */
export const MONTHS: readonly string[] = [
  "jan(?:uary|uar|uari|vier|eiro)?|ene(?:ro)?|gen(?:naio)?|янв(?:ар[ья])?|sty(?:cze(?:ń|nia))?|oca(?:k)?|leden|ledna|يناير",
  "feb(?:ruary|ruar|ruari|rero|braio)?|f[ée]vr?(?:ier|ereiro)?|фев(?:р(?:ал[ья])?)?|lut(?:y|ego)?|şub(?:at)?|únor[a]?|فبراير",
  "mar(?:ch|zo|s|ço|ts)?|märz?|maart|mrt|марта?|mar(?:zec|ca)|mart|březen|března|مارس",
  "apr(?:il|ile)?|avr(?:il)?|abr(?:il)?|апр(?:ел[ья])?|kwi(?:ecień|etnia)?|nis(?:an)?|duben|dubna|أبريل",
  "may(?:o)?|mai(?:o)?|maj|mei|mag(?:gio)?|ма[йя]|maja|mayıs|květen|května|مايو",
  "june?|juni|juin|junio|junho|giu(?:gno)?|июн[ья]?|cze(?:rwiec|rwca)?|haz(?:iran)?|červen|června|يونيو",
  "july?|juli|juil(?:let)?|julio|julho|lug(?:lio)?|июл[ья]?|lip(?:iec|ca)?|tem(?:muz)?|červenec|července|يوليو",
  "aug(?:ust|usti|ustus)?|août|ago(?:sto)?|авг(?:уста?)?|sie(?:rpień|rpnia)?|ağu(?:stos)?|srpen|srpna|أغسطس",
  "sept?(?:ember|embre|iembre)?|set(?:embro|tembre)?|сен(?:т(?:ябр[ья])?)?|wrz(?:esień|eśnia)?|eyl(?:ül)?|září|سبتمبر",
  "o[ck]t(?:ober|obre|ubre)?|out(?:ubro)?|ott(?:obre)?|окт(?:ябр[ья])?|paź(?:dziernik(?:a)?)?|eki(?:m)?|říjen|října|أكتوبر",
  "nov(?:ember|embre|iembre|embro)?|ноя(?:б(?:р[ья])?)?|lis(?:topada?)?|kas(?:ım)?|listopadu|نوفمبر",
  "de[czs](?:ember|embro)?|déc(?:embre)?|dic(?:iembre|embre)?|дек(?:абр[ья])?|gru(?:dzień|dnia)?|ara(?:lık)?|prosinec|prosince|ديسمبر",
];
export const WEEKDAYS: readonly string[] = [
  "sun(?:day)?|sonntag|dimanche|domingo|domenica|zondag|söndag|søndag|воскресенье|niedziela|pazar|neděle|الأحد",
  "mon(?:day)?|montag|lundi|lunes|lunedì|maandag|segunda-feira|måndag|mandag|понедельник|poniedziałek|pazartesi|pondělí|الاثنين",
  "tues?(?:day)?|dienstag|mardi|martes|martedì|dinsdag|terça-feira|tisdag|tirsdag|вторник|wtorek|salı|úterý|الثلاثاء",
  "wed(?:nesday)?|mittwoch|mercredi|miércoles|mercoledì|woensdag|quarta-feira|onsdag|среда|środa|çarşamba|středa|الأربعاء",
  "thu(?:rs?)?(?:day)?|donnerstag|jeudi|jueves|giovedì|donderdag|quinta-feira|torsdag|четверг|czwartek|perşembe|čtvrtek|الخميس",
  "fri(?:day)?|freitag|vendredi|viernes|venerdì|vrijdag|sexta-feira|fredag|пятница|piątek|cuma|pátek|الجمعة",
  "sat(?:urday)?|samstag|samedi|sábado|sabato|zaterdag|lördag|lørdag|суббота|sobota|cumartesi|السبت",
];
export const MONTH = `(?:${MONTHS.join("|")})`;
export const WEEKDAY = `(?:${WEEKDAYS.join("|")})`;
/** Weekdays in Chinese, Japanese, and Korean. */
export const ASIAN_DAY =
  "(?:(?:星期|周|週|礼拜)([日一二三四五六天])|([日月火水木金土])曜日?|[(（]([日月火水木金土])[)）]|([일월화수목금토])요일)";
export const NAME_OF_MONTH = new RegExp(String.raw`(?<!\p{L})${MONTH}(?!\p{L})`, "giu");
export const NAME_OF_DAY = new RegExp(String.raw`(?<!\p{L})${WEEKDAY}(?!\p{L})`, "giu");
export const NAME_OF_ASIAN_DAY = new RegExp(ASIAN_DAY, "u");
