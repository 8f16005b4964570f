/** A chat request, and the same in Zstandard: made by Node 26, since older ones do not know it. */
export const CHAT = JSON.stringify({
  model: "gpt-4o-mini",
  messages: [{ role: "user", content: "grüezi ".repeat(30) }],
});
export const ZSTD_CHAT = Buffer.from(
  "KLUv/WAxAJUCAJQEeyJtb2RlbCI6ImdwdC00by1taW5pIiwibWVzc2FnZXMiOlt7InJvbGUiOiJ1c2VyIiwiY29udGVudCI6Imdyw7xlemkgIn1dfQEARXlUiQI=",
  "base64",
);
