export function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
