/** The file of a recording: what `schemas/recording.schema.json` describes, to and fro. */
export { encodeRecording, type EncodedRecording } from "./encode.ts";
export { decodeRecording, type DecodeOptions } from "./decode.ts";
