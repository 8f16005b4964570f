import { type Mode, MODES } from "../../core/call/call.ts";

interface ModeText {
  readonly name: string;
  /** A codicon's name. */
  readonly icon: string;
  /** One line without a full stop. */
  readonly description: string;
}

export const MODE_TEXTS: Readonly<Record<Mode, ModeText>> = {
  strict: {
    name: "Strict",
    icon: "play-circle",
    description: "Recorded calls are replayed, others fail; nothing leaves this machine",
  },
  record: {
    name: "Record",
    icon: "record",
    description: "Recorded calls are replayed, others go to the provider and are recorded",
  },
  refresh: {
    name: "Refresh",
    icon: "cloud-download",
    description: "Every call goes to the provider, its answer replaces the recording",
  },
  lenient: {
    name: "Lenient",
    icon: "beaker",
    description: "Recorded calls are replayed, others get a default reply; nothing leaves this machine",
  },
  live: {
    name: "Live",
    icon: "cloud",
    description: "Every call goes to the provider, nothing is recorded",
  },
};

/** What a click on the status bar item leads to: out of every other mode, back to strict. */
export const toggledMode = (mode: Mode): Mode => (mode === "strict" ? "record" : "strict");

export const otherModes = (mode: Mode): readonly Mode[] => MODES.filter((one) => one !== mode);
