/** What providers bill by, apart from tokens. A second is one of audio or video. */
export type BilledUnit = "second" | "image" | "character" | "page" | "search";

/** US dollars per million tokens, and per unit. */
export interface Price {
  /** Absent if the model is not billed by tokens. */
  readonly input?: number;
  readonly output?: number;
  /** Price of input from the provider's cache; defaults to `input`. */
  readonly cachedInput?: number;
  /** Prices of the tokens of audio and images; default: those of text. */
  readonly media?: { readonly input: number; readonly output: number };
  /** US dollars per unit; of characters, per million. Applies to replies without tokens. */
  readonly units?: Readonly<Partial<Record<BilledUnit, number>>>;
  /** Prices of all tokens if the prompt has more than `tokens`. */
  readonly long?: { readonly tokens: number; readonly input: number; readonly output: number };
}

interface PriceRow extends Price {
  /** Names as in requests, without the date. */
  readonly models: readonly string[];
  /** Year and month in which the price was looked up. */
  readonly read: string;
}

/**
 * List prices for calls without batching. They are precise enough for a limit, not for an invoice: cache writes, tools,
 * discounts, and contracts are not included. If a price depends on the resolution, it is the highest. Models that are
 * not listed have no price.
 */
export const PRICES: readonly PriceRow[] = [
  // Source: developers.openai.com/api/docs/pricing
  { ...row("gpt-5.5", "2026-06", [5, 0.5, 30]), long: longOpenai(10, 45) },
  { ...row("gpt-5.5-pro gpt-5.4-pro", "2026-06", [30, 30, 180]), long: longOpenai(60, 270) },
  { ...row("gpt-5.4", "2026-06", [2.5, 0.25, 15]), long: longOpenai(5, 22.5) },
  row("gpt-5.4-mini", "2026-06", [0.75, 0.075, 4.5]),
  row("gpt-5.4-nano", "2026-06", [0.2, 0.02, 1.25]),
  row("gpt-5.1 gpt-5 gpt-5.1-codex gpt-5-codex", "2026-03", [1.25, 0.125, 10]),
  row("gpt-5-pro", "2026-03", [15, 15, 120]),
  row("gpt-5-mini", "2026-03", [0.25, 0.025, 2]),
  row("gpt-5-nano", "2026-03", [0.05, 0.005, 0.4]),
  row("gpt-4.1", "2026-03", [2, 0.5, 8]),
  row("gpt-4.1-mini", "2026-03", [0.4, 0.1, 1.6]),
  row("gpt-4.1-nano", "2026-03", [0.1, 0.025, 0.4]),
  row("gpt-4o", "2026-05", [2.5, 1.25, 10]),
  row("gpt-4o-mini", "2026-05", [0.15, 0.075, 0.6]),
  row("o1", "2026-05", [15, 7.5, 60]),
  row("o3", "2026-03", [2, 0.5, 8]),
  row("o3-mini", "2026-05", [1.1, 0.55, 4.4]),
  row("o4-mini", "2026-03", [1.1, 0.275, 4.4]),
  row("gpt-3.5-turbo", "2026-05", [0.5, 0.5, 1.5]),
  row("text-embedding-3-large", "2026-03", [0.13, 0.13, 0]),
  row("text-embedding-3-small", "2026-03", [0.02, 0.02, 0]),
  // Source: the same page, quoted in other projects' price tables
  { models: ["gpt-6.2-astra"], read: "2026-11", input: 8, output: 40, long: longOpenai(16, 60) },
  { models: ["gpt-6.2-sol"], read: "2026-11", input: 2, output: 10, long: longOpenai(4, 15) },
  { ...row("gpt-6.1-sol", "2026-11", [2, 0.1, 10]), long: longOpenai(4, 15) },
  { ...row("gpt-6-astra", "2026-11", [10, 1, 50]), long: longOpenai(20, 75) },
  { ...row("gpt-6-sol", "2026-11", [2, 0.2, 10]), long: longOpenai(4, 15) },
  { ...row("gpt-6-luna", "2026-11", [0.1, 0.01, 0.5]), long: longOpenai(0.2, 0.75) },
  { ...row("gpt-5.6-sol", "2026-11", [4, 0.4, 20]), long: longOpenai(8, 30) },
  { ...row("gpt-5.6-terra", "2026-11", [2, 0.2, 12]), long: longOpenai(4, 18) },
  { ...row("gpt-5.6-luna", "2026-11", [0.2, 0.02, 1.2]), long: longOpenai(0.4, 1.8) },
  row("gpt-5.3-codex gpt-5.2 gpt-5.2-codex", "2026-11", [1.75, 0.175, 14]),
  // Source: price tables of public projects that quote the providers' pages
  row("gpt-4", "2024-12", [30, 30, 60]),
  row("gpt-4-turbo gpt-4-turbo-preview", "2024-12", [10, 10, 30]),
  row("gpt-4-32k", "2026-11", [60, 60, 120]),
  row("gpt-4.5-preview", "2026-11", [75, 37.5, 150]),
  row("gpt-5.1-codex-max gpt-5-chat gpt-5.1-chat gpt-5-search-api", "2026-11", [1.25, 0.125, 10]),
  row("gpt-5.1-codex-mini", "2026-11", [0.25, 0.025, 2]),
  row("gpt-5.2-chat gpt-5.3", "2026-11", [1.75, 0.175, 14]),
  row("gpt-5.2-pro", "2026-11", [21, 21, 168]),
  { ...row("gpt-5.6", "2026-11", [4, 0.4, 20]), long: longOpenai(8, 30) },
  { ...row("gpt-6.1-terra", "2026-11", [1, 0.05, 5]), long: longOpenai(2, 7.5) },
  row("chatgpt-4o", "2026-11", [5, 5, 15]),
  row("computer-use-preview", "2026-11", [3, 3, 12]),
  row("codex-mini", "2026-11", [1.5, 0.375, 6]),
  row("o1-mini", "2026-11", [1.1, 0.55, 4.4]),
  row("o1-preview", "2026-11", [15, 7.5, 60]),
  row("o1-pro", "2026-11", [150, 150, 600]),
  row("o3-pro", "2026-11", [20, 20, 80]),
  row("o3-deep-research", "2026-11", [10, 2.5, 40]),
  row("o4-mini-deep-research", "2026-11", [2, 0.5, 8]),
  row("gpt-3.5-turbo-16k", "2026-11", [3, 3, 4]),
  row("gpt-3.5-turbo-instruct", "2026-11", [1.5, 1.5, 2]),
  row("text-embedding-ada-002", "2026-11", [0.1, 0.1, 0]),
  row("claude-3-5-sonnet claude-3-sonnet", "2026-11", [3, 0.3, 15]),
  row("claude-fable-5-2 claude-mythos-5-2", "2026-11", [8, 0.2, 40]),
  row("gemini-2.0-flash", "2026-07", [0.1, 0.1, 0.4]),
  {
    ...row("gemini-1.5-flash", "2026-11", [0.075, 0.01875, 0.3]),
    long: { tokens: 128_000, input: 0.15, output: 0.6 },
  },
  { ...row("gemini-1.5-pro", "2026-11", [1.25, 1.25, 5]), long: { tokens: 128_000, input: 2.5, output: 10 } },
  {
    ...row("gemini-3-pro-preview", "2026-11", [2, 0.2, 12]),
    long: { tokens: 200_000, input: 4, output: 18 },
  },
  row("gemini-4-argon", "2026-11", [4, 0.2, 20]),
  row("gemini-embedding-001", "2026-11", [0.15, 0.15, 0]),
  row("gemini-embedding-2 gemini-embedding-2-preview", "2026-11", [0.2, 0.2, 0]),
  // Groq's names, because other providers use different names for most of these models
  row("llama-3.3-70b-versatile llama-3.1-70b-versatile llama3-70b-8192", "2026-11", [0.59, 0.59, 0.79]),
  row("llama-3.1-8b-instant llama3-8b-8192", "2026-11", [0.05, 0.05, 0.08]),
  row("llama-4-maverick-17b-128e-instruct", "2026-11", [0.2, 0.2, 0.6]),
  row("llama-4-scout-17b-16e-instruct", "2026-11", [0.11, 0.11, 0.34]),
  row("deepseek-r1-distill-llama-70b", "2026-11", [0.75, 0.75, 0.99]),
  row("gemma2-9b-it llama-guard-4-12b", "2026-11", [0.2, 0.2, 0.2]),
  row("kimi-k2-instruct", "2026-11", [1, 0.5, 3]),
  row("gpt-oss-120b", "2026-11", [0.15, 0.075, 0.6]),
  row("gpt-oss-20b gpt-oss-safeguard-20b", "2026-11", [0.075, 0.0375, 0.3]),
  row("qwen3-32b", "2026-11", [0.29, 0.29, 0.59]),
  row("mistral-large pixtral-large", "2026-11", [2, 2, 6]),
  row("mistral-large-4", "2026-11", [0.7, 0.07, 2.1]),
  row("mistral-medium mistral-medium-3-5", "2026-11", [1.5, 0.15, 7.5]),
  row("mistral-medium-3-1 devstral-medium", "2026-11", [0.4, 0.04, 2]),
  row("mistral-small", "2026-11", [0.15, 0.015, 0.6]),
  row("magistral-medium", "2026-11", [2, 2, 5]),
  row("magistral-small", "2026-11", [0.5, 0.5, 1.5]),
  row("codestral", "2026-11", [0.3, 0.03, 0.9]),
  row("ministral-14b", "2026-11", [0.2, 0.02, 0.2]),
  row("ministral-8b", "2026-11", [0.15, 0.015, 0.15]),
  row("ministral-3b", "2026-11", [0.1, 0.01, 0.1]),
  row("open-mistral-nemo pixtral-12b", "2026-11", [0.15, 0.15, 0.15]),
  row("mistral-embed", "2026-11", [0.1, 0.1, 0]),
  row("codestral-embed", "2026-11", [0.15, 0.015, 0]),
  // Prices at peak hours
  row("deepseek-flash deepseek-v4-flash", "2026-11", [0.3, 0.006, 1.2]),
  row("deepseek-v4-pro", "2026-10", [1.32, 0.044, 3.96]),
  row("deepseek-chat", "2026-11", [0.27, 0.07, 1.1]),
  row("deepseek-reasoner", "2026-11", [0.55, 0.14, 2.19]),
  row("grok-3 grok-4", "2026-11", [3, 0.75, 15]),
  row("grok-3-fast", "2026-11", [5, 1.25, 25]),
  row("grok-3-mini", "2026-11", [0.3, 0.075, 0.5]),
  row("grok-3-mini-fast", "2026-11", [0.6, 0.15, 4]),
  row("grok-4-fast-reasoning grok-4-fast-non-reasoning", "2026-11", [0.2, 0.05, 0.5]),
  row("grok-4-1-fast-reasoning grok-4-1-fast-non-reasoning", "2026-11", [0.2, 0.05, 0.5]),
  row("grok-code-fast-1", "2026-11", [0.2, 0.02, 1.5]),
  { ...row("grok-4.20 grok-4.3", "2026-11", [1.25, 0.2, 2.5]), long: longXai(2.5, 5) },
  { ...row("grok-4.5", "2026-11", [2, 0.3, 6]), long: longXai(4, 12) },
  { ...row("grok-4.6 grok-4.7", "2026-11", [2, 0.5, 6]), long: longXai(4, 12) },
  row("kimi-k2.6", "2026-11", [0.95, 0.16, 4]),
  row("kimi-k3", "2026-11", [3, 0.3, 15]),
  row("kimi-k3.1-pro", "2026-11", [2, 0.2, 10]),
  row("command-a-03-2025 command-a", "2026-11", [2.5, 2.5, 10]),
  row("command-r-plus-08-2024 command-r-plus", "2026-11", [2.5, 2.5, 10]),
  row("command-r-08-2024 command-r", "2026-11", [0.15, 0.15, 0.6]),
  row("command-r7b-12-2024 command-r7b", "2026-11", [0.0375, 0.0375, 0.15]),
  row("embed-v4.0 embed-v4:0", "2026-11", [0.12, 0.12, 0]),
  // Bedrock names, regional prices; some models cost 10% less with global inference
  row("nova-micro", "2026-11", [0.035, 0.00875, 0.14]),
  row("nova-lite", "2026-11", [0.06, 0.015, 0.24]),
  row("nova-pro", "2026-11", [0.8, 0.2, 3.2]),
  row("nova-premier", "2026-11", [2.5, 0.625, 12.5]),
  row("nova-2-lite", "2026-11", [0.33, 0.0825, 2.75]),
  row("titan-embed-text-v1", "2026-11", [0.1, 0.1, 0]),
  row("llama4-maverick-17b-instruct", "2026-11", [0.24, 0.24, 0.97]),
  row("llama4-scout-17b-instruct", "2026-11", [0.17, 0.17, 0.66]),
  row("llama3-1-70b-instruct llama3-2-90b-instruct llama3-3-70b-instruct", "2026-11", [0.72, 0.72, 0.72]),
  row("llama3-1-8b-instruct", "2026-11", [0.22, 0.22, 0.22]),
  row("gemma-3-27b-it", "2026-11", [0.23, 0.23, 0.38]),
  // Source: platform.claude.com/docs/en/about-claude/pricing
  row("claude-fable-5-1 claude-mythos-5-1", "2026-11", [10, 0.25, 50]),
  row("claude-fable-5 claude-mythos-5", "2026-11", [10, 1, 50]),
  row("claude-opus-5-5", "2026-10", [4, 0.2, 20]),
  row(
    "claude-opus-5 claude-opus-4-8 claude-opus-4-7 claude-opus-4-6 claude-opus-4-5",
    "2026-11",
    [5, 0.5, 25],
  ),
  row("claude-opus-4-1 claude-opus-4 claude-opus-4-0 claude-3-opus", "2026-11", [15, 1.5, 75]),
  row("claude-sonnet-5-5", "2026-10", [2, 0.1, 10]),
  row("claude-sonnet-5", "2026-10", [2, 0.2, 10]),
  row(
    "claude-sonnet-4-6 claude-sonnet-4-5 claude-sonnet-4 claude-sonnet-4-0 claude-3-7-sonnet",
    "2026-10",
    [3, 0.3, 15],
  ),
  {
    ...row("claude-haiku-5-5", "2026-10", [0.1, 0.01, 0.5]),
    long: { tokens: 100_000, input: 0.5, output: 2.5 },
  },
  row("claude-haiku-4-5", "2026-10", [1, 0.1, 5]),
  row("claude-3-5-haiku claude-haiku-3-5", "2026-10", [0.8, 0.08, 4]),
  row("claude-3-haiku", "2026-10", [0.25, 0.03, 1.25]),
  // Source: ai.google.dev/gemini-api/docs/pricing (text); the newest Flash cost half of it until the end of 2026
  row("gemini-3.8-flash gemini-3.7-flash gemini-3.6-flash", "2026-11", [1.5, 0.15, 7.5]),
  row("gemini-3.5-flash", "2026-11", [1.5, 0.15, 9]),
  row("gemini-3.5-flash-lite", "2026-11", [0.3, 0.03, 2.5]),
  {
    ...row("gemini-3.1-pro-preview", "2026-05", [2, 0.2, 12]),
    long: { tokens: 200_000, input: 4, output: 18 },
  },
  row("gemini-3-flash-preview", "2026-05", [0.5, 0.05, 3]),
  row("gemini-3.1-flash-lite gemini-3.1-flash-lite-preview", "2026-05", [0.25, 0.025, 1.5]),
  {
    ...row("gemini-2.5-pro", "2026-05", [1.25, 0.125, 10]),
    long: { tokens: 200_000, input: 2.5, output: 15 },
  },
  { ...row("gemini-2.5-flash", "2026-05", [0.3, 0.03, 2.5]), media: { input: 1, output: 2.5 } },
  { ...row("gemini-2.5-flash-lite", "2026-05", [0.1, 0.01, 0.4]), media: { input: 0.3, output: 0.4 } },
  // Audio, images, video, documents, and rankings. Source: litellm 1.110, which quotes the providers' pages
  mediaRow("gpt-realtime gpt-realtime-1.5", [4, 0.4, 16], [32, 64]),
  mediaRow("gpt-realtime-2 gpt-realtime-2.1", [4, 0.4, 24], [32, 64]),
  mediaRow("gpt-realtime-mini gpt-realtime-2.1-mini", [0.6, 0.06, 2.4], [10, 20]),
  mediaRow("gpt-audio gpt-audio-1.5", [2.5, 2.5, 10], [32, 64]),
  mediaRow("gpt-audio-mini", [0.6, 0.6, 2.4], [10, 20]),
  mediaRow("gpt-4o-audio-preview", [2.5, 2.5, 10], [40, 80]),
  mediaRow(
    "gemini-live-2.5-flash-native-audio gemini-2.5-flash-native-audio gemini-2.5-flash-native-audio-preview",
    [0.5, 0.5, 2],
    [3, 12],
  ),
  mediaRow("gemini-3.8-live gemini-3.8-live-extended-thinking", [0.75, 0.75, 4.5], [3, 12]),
  mediaRow("gemini-3.5-live-translate-preview", [3.5, 3.5, 21], [3.5, 21]),
  mediaRow("gpt-image-1", [5, 1.25, 40], [10, 40]),
  mediaRow("gpt-image-1-mini", [2, 0.2, 8], [2.5, 8]),
  mediaRow("gpt-image-1.5 chatgpt-image", [5, 1.25, 32], [8, 32]),
  mediaRow(
    "gpt-image-2 gpt-image-2.5-sunburst gpt-image-2.5-flare gpt-image-2.6-sunburst gpt-image-2.6-flare",
    [5, 1.25, 30],
    [8, 30],
  ),
  mediaRow("gemini-2.5-flash-image", [0.3, 0.03, 2.5], [0.3, 30]),
  mediaRow("gemini-3.1-flash-image gemini-3.1-flash-image-preview", [0.5, 0.05, 3], [0.5, 60]),
  mediaRow("gemini-3-pro-image gemini-3-pro-image-preview", [2, 0.2, 12], [2, 120]),
  // The estimate of OpenAI's page, $0.015 a minute, at 16 characters a second
  { ...row("gpt-4o-mini-tts", "2026-11", [0.6, 0.6, 12]), units: { character: 16 } },
  {
    ...row("gpt-4o-transcribe gpt-4o-transcribe-diarize", "2026-11", [2.5, 2.5, 10]),
    units: { second: 0.0001 },
  },
  { ...row("gpt-4o-mini-transcribe", "2026-11", [1.25, 1.25, 5]), units: { second: 0.00005 } },
  unitRow("character", 15, "tts-1"),
  unitRow("character", 30, "tts-1-hd"),
  unitRow("character", 22, "orpheus-v1-english"),
  unitRow("character", 40, "orpheus-arabic-saudi"),
  unitRow("character", 16, "voxtral-mini-tts"),
  unitRow("second", 0.0001, "whisper-1"),
  unitRow("second", 0.000075, "gpt-transcribe"),
  unitRow("second", 0.00003083, "whisper-large-v3"),
  unitRow("second", 0.00001111, "whisper-large-v3-turbo"),
  unitRow("second", 0.00005, "voxtral-mini"),
  unitRow("second", 0.0000583333, "voxtral-mini-transcribe-3"),
  unitRow("second", 0.0000666667, "voxtral-small-transcribe-3"),
  unitRow("second", 0.00002778, "grok-voice-transcribe-1.0 grok-voice-transcribe-2.0"),
  unitRow("second", 0.1, "sora-2"),
  unitRow("second", 0.5, "sora-2-pro"),
  unitRow("second", 0.6, "veo-3.1-generate veo-3.1-generate-preview"),
  unitRow("second", 0.3, "veo-3.1-fast-generate veo-3.1-fast-generate-preview"),
  unitRow("second", 0.08, "veo-3.1-lite-generate veo-3.1-lite-generate-preview"),
  unitRow("second", 0.4, "veo-3.0-generate"),
  unitRow("second", 0.12, "veo-3.0-fast-generate"),
  unitRow("second", 0.5, "veo-2.0-generate"),
  unitRow("second", 0.165025, "wan3.0-video"),
  unitRow("second", 0.254399, "wan3.0-video-prime"),
  unitRow("second", 0.143353, "wan2.7-t2v wan2.7-i2v wan2.7-r2v"),
  unitRow("image", 0.04, "imagen-3.0-generate"),
  unitRow("image", 0.02, "imagen-3.0-fast-generate"),
  unitRow("image", 0.035, "qwen-image-2.0"),
  unitRow("image", 0.075, "qwen-image-2.0-pro"),
  unitRow("image", 0.03, "qwen-image-3.0"),
  unitRow("image", 0.06, "nova-canvas"),
  unitRow("page", 0.004, "mistral-ocr mistral-ocr-4 mistral-ocr-4-0 mistral-ocr-4-1"),
  unitRow("page", 0.002, "mistral-ocr-3 mistral-ocr-3-0"),
  unitRow("search", 0.002, "rerank-v3.5 rerank-english-v3.0 rerank-multilingual-v3.0 rerank-v4.0-fast"),
  unitRow("search", 0.0025, "rerank-v4.0-pro"),
];

function row(
  models: string,
  read: string,
  [input, cachedInput, output]: readonly [input: number, cached: number, output: number],
): PriceRow {
  return { models: models.split(" "), read, input, cachedInput, output };
}

/** A model with other prices for the tokens of audio or images. */
function mediaRow(
  models: string,
  text: readonly [input: number, cached: number, output: number],
  [input, output]: readonly [input: number, output: number],
): PriceRow {
  return { ...row(models, "2026-11", text), media: { input, output } };
}

function unitRow(unit: BilledUnit, price: number, models: string): PriceRow {
  return { models: models.split(" "), read: "2026-11", units: { [unit]: price } };
}

/** From here on a prompt of OpenAI's models with long contexts costs more, all of it. */
function longOpenai(input: number, output: number): NonNullable<Price["long"]> {
  return { tokens: 272_000, input, output };
}

/** The same of xAI's models. */
function longXai(input: number, output: number): NonNullable<Price["long"]> {
  return { tokens: 199_999, input, output };
}
