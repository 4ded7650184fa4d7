/** A whole number with its thousands apart: 12,345. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** 1,234 ms, rounded. */
export function milliseconds(value: number): string {
  return `${count(Math.round(value))} ms`;
}

/** Milliseconds as seconds: 1.2 s. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** Bytes in millions: 1.2 MB. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
