/** From here on, in bytes, reading a body takes longer than other calls should wait: it is done aside, where that is to be had. */
export const LARGE_BYTES = 262_144;
