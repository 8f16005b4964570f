/** In what those who speak like OpenAI differ from it. */
export interface ChatFlavour {
  /** For people: "OpenAI". */
  readonly name: string;
  /** For errors, logs and traces: "openai". */
  readonly provider: string;
  readonly video: boolean;
  /** What the limit of the answer is called. */
  readonly tokenLimit: "max_completion_tokens" | "max_tokens";
  /** Whether `top_k`, `min_p` and `repetition_penalty` are understood. */
  readonly moreSampling: boolean;
  /** How thinking is asked for. */
  readonly thinking: "effort" | "switch";
  /** Whether a tool call can be required without naming the tool. */
  readonly requiredChoice: boolean;
}

export const OPENAI: ChatFlavour = {
  name: "OpenAI",
  provider: "openai",
  video: false,
  tokenLimit: "max_completion_tokens",
  moreSampling: false,
  thinking: "effort",
  requiredChoice: true,
};

export const AZURE: ChatFlavour = { ...OPENAI, name: "Azure OpenAI", provider: "azure" };

/** Servers that took over OpenAI's wire and added to it. */
export const COMPATIBLE: ChatFlavour = {
  ...OPENAI,
  name: "This provider",
  video: true,
  tokenLimit: "max_tokens",
  moreSampling: true,
};

export const DASHSCOPE_COMPATIBLE: ChatFlavour = {
  ...COMPATIBLE,
  name: "DashScope",
  provider: "dashscope",
  thinking: "switch",
  requiredChoice: false,
};
