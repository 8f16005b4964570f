/** The SDKs want a key before they ask anyone; the practice upstream takes any. Not a word that a reply may hold. */
export const PRACTICE_KEY = "sk-any-key-will-do-for-practice";
