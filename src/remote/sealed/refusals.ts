import type { ObjectRefusal } from "./seal.ts";

/** What an object's refusal means to a person, and what to do: the end of the sentence "trusted/calls/… on … ". */
const REFUSALS: Readonly<Record<ObjectRefusal, { readonly what: string; readonly hint: string }>> = {
  "not-ours": {
    what: "is nothing that Tapedeck wrote",
    hint: "Remove it there, or give Tapedeck a prefix of its own.",
  },
  "newer-format": {
    what: "was written by a later version of Tapedeck",
    hint: "Update Tapedeck here to use it.",
  },
  damaged: {
    what: "is damaged: its bytes are not those that were sent",
    hint: "Remove it there and push it again from where the recording is.",
  },
  unsigned: {
    what: "is not signed",
    hint: "Find out who wrote it. Remove it there and push the recording with the team's key.",
  },
  "unknown-key": {
    what: "is signed with a key that is not trusted here",
    hint: "Where that key is one of the team's, add it to TAPEDECK_REMOTE_KEY. Else find out who wrote it, and remove it.",
  },
  "wrong-signature": {
    what: "has a wrong signature: it was changed by someone without the team's key",
    hint: "Find out who can write there, and remove it.",
  },
  elsewhere: {
    what: "was signed for another name or scope and put here",
    hint: "Find out who can write there, and remove it.",
  },
  locked: {
    what: "is encrypted with a key that is not at hand",
    hint: "Add the team's key for it to TAPEDECK_REMOTE_KEY.",
  },
};

/** Says why an object was not used, and what to do: two sentences or three. */
export function describeRefusal(remote: string, object: string, refused: ObjectRefusal): string {
  const { what, hint } = REFUSALS[refused];
  return `${object} on ${remote} ${what}. It was not used. ${hint}`;
}
