/** A tenth of a second. */
const SAMPLES = 2400;
const RATE = 24_000;

/** Silence in the format that was asked for, or as WAV where making it would need an encoder. */
export function silence(format: string): { readonly contentType: string; readonly body: Uint8Array } {
  if (format === "pcm") return { contentType: "audio/pcm", body: new Uint8Array(SAMPLES * 2) };
  if (format === "mp3") return { contentType: "audio/mpeg", body: silentMp3() };
  return { contentType: "audio/wav", body: silentWav() };
}

/** 16-bit samples of one channel. Source of the header: soundfile.sapp.org/doc/WaveFormat. */
function silentWav(): Uint8Array {
  const data = SAMPLES * 2;
  const bytes = new Uint8Array(44 + data);
  const view = new DataView(bytes.buffer);
  const words: readonly (readonly [at: number, text: string])[] = [
    [0, "RIFF"],
    [8, "WAVE"],
    [12, "fmt "],
    [36, "data"],
  ];
  for (const [at, text] of words)
    for (let index = 0; index < 4; index += 1) view.setUint8(at + index, text.charCodeAt(index));
  view.setUint32(4, 36 + data, true);
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, RATE, true);
  view.setUint32(28, RATE * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  view.setUint32(40, data, true);
  return bytes;
}

/** Frames of MPEG 1 layer III at 128 kbit/s and 44.1 kHz without any content are silent. Source: ISO/IEC 11172-3. */
function silentMp3(): Uint8Array {
  const frame = 417;
  const frames = 4;
  const bytes = new Uint8Array(frame * frames);
  for (let index = 0; index < frames; index += 1) bytes.set([0xff, 0xfb, 0x90, 0x00], index * frame);
  return bytes;
}
