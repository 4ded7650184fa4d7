import { Injectable, type LoggerService } from '@nestjs/common';

/** A plain line of progress is written no more often than this. */
const PLAIN_EVERY_MS = 1_000;

/** Back to the start of the line, and empty it. */
const CLEAR = '\r\u001b[2K';

/**
 * Where everything is written: lines, and below them one line of progress, which is redrawn in a
 * terminal and written from time to time elsewhere.
 *
 * It is the application's logger too, so that what Nest and the queue have to say goes above the
 * progress line and not through it.
 */
@Injectable()
export class Screen implements LoggerService {
  private readonly out = process.stdout;
  private readonly redraws = this.out.isTTY && process.env.TERM !== 'dumb';
  private current = '';
  private nextPlainAt = 0;

  constructor() {
    // whoever reads the output may leave early (`| head`): the work goes on without them
    this.out.on('error', () => undefined);
  }

  say(line: string): void {
    this.out.write(`${this.redraws ? CLEAR : ''}${line}\n${this.current}`);
  }

  /** Shows how far the work is; `bar` only where it can be redrawn. */
  progress(bar: string, text: string): void {
    if (this.redraws) {
      this.current = `${bar} ${text}`.slice(0, this.out.columns - 1);
      this.out.write(CLEAR + this.current);
    } else if (Date.now() >= this.nextPlainAt) {
      this.nextPlainAt = Date.now() + PLAIN_EVERY_MS;
      this.out.write(`${text}\n`);
    }
  }

  /** Leaves the line of progress as it is; what follows is written below it. */
  endProgress(): void {
    if (this.current !== '') this.out.write('\n');
    this.current = '';
  }

  /** Nest tells each module it starts: not of interest here. */
  log(): void {}

  warn(message: unknown): void {
    this.say(String(message));
  }

  error(message: unknown): void {
    this.say(String(message));
  }
}
