import type { HandlerLogger } from '../../lib/contract/index.js';

/** A logger that keeps its lines, by level. */
export class RecordingLogger implements HandlerLogger {
  readonly lines: { readonly level: string; readonly text: string }[] = [];

  log(message: unknown): void {
    this.add('log', message);
  }

  error(message: unknown): void {
    this.add('error', message);
  }

  warn(message: unknown): void {
    this.add('warn', message);
  }

  debug(message: unknown): void {
    this.add('debug', message);
  }

  /** The lines of one level. */
  of(level: 'log' | 'error' | 'warn' | 'debug'): string[] {
    return this.lines.filter((line) => line.level === level).map(({ text }) => text);
  }

  private add(level: string, message: unknown): void {
    this.lines.push({ level, text: String(message) });
  }
}
