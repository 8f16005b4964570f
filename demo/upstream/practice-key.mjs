/** SDKs refuse to start without a key; the practice upstream accepts any. No reply contains this text. */
export const PRACTICE_KEY = "sk-any-key-will-do-for-practice";
