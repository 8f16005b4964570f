import { localize } from "../../core/base/localize.ts";
import { type Mode, MODES } from "../../core/call/call.ts";

interface ModeText {
  readonly name: string;
  /** A codicon's name. */
  readonly icon: string;
  /** One line. */
  readonly description: string;
}

export const MODE_TEXTS: Readonly<Record<Mode, ModeText>> = {
  strict: {
    name: localize("Strict"),
    icon: "play-circle",
    description: localize("Recorded calls are replayed, others fail. Nothing leaves this machine."),
  },
  record: {
    name: localize("Record"),
    icon: "record",
    description: localize("Recorded calls are replayed. Others go to the provider and are recorded."),
  },
  refresh: {
    name: localize("Refresh"),
    icon: "cloud-download",
    description: localize("Every call goes to the provider, and its response replaces the recording."),
  },
  lenient: {
    name: localize("Lenient"),
    icon: "beaker",
    description: localize(
      "Recorded calls are replayed, others get a default reply. Nothing leaves this machine.",
    ),
  },
  live: {
    name: localize("Live"),
    icon: "cloud",
    description: localize("Every call goes to the provider. Nothing is recorded."),
  },
};

/** The mode after a click on the status bar item. Every mode other than strict toggles to strict. */
export const toggleMode = (mode: Mode): Mode => (mode === "strict" ? "record" : "strict");

export const listOtherModes = (mode: Mode): readonly Mode[] => MODES.filter((one) => one !== mode);
