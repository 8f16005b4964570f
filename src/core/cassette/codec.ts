/** The file of a recording: what `schemas/recording.schema.json` describes, to and fro. */
export { encodeRecording } from "./encode.ts";
export { decodeRecording, decodeReply, type DecodeOptions } from "./decode.ts";
