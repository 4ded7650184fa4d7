import type { DeadLetters } from '../contract/index.js';
import { checkPage } from '../errors/index.js';
import { asInteger, checkName, type KeySpace } from '../redis/index.js';
import { toLetter, type RawLetter, type StreamDeadLetter } from './letter.js';
import type { StreamsCore } from './streams.core.js';
import { lettersScript, reviveScript } from './streams.scripts.js';

/** How many letters one call reads. */
const PAGE = 100;
/** A page is reached by reading those before it. */
const MAX_OFFSET = 1_000_000;

/** The dead letters of one queue, those of all its groups. */
export class StreamDeadLetters implements DeadLetters {
  constructor(
    private readonly core: StreamsCore,
    private readonly space: KeySpace,
  ) {}

  /** How many there are. */
  async count(): Promise<number> {
    return asInteger(await this.core.connection.command('XLEN', [this.space.key('dead')]));
  }

  /** Newest first. */
  async list(
    page: { readonly limit?: number; readonly offset?: number } = {},
  ): Promise<readonly StreamDeadLetter[]> {
    const { limit, offset } = checkPage(page, MAX_OFFSET);
    const letters = await this.walk(offset + limit);
    return letters.slice(offset).map((raw) => toLetter(raw, this.core.settings.codec));
  }

  /**
   * Publishes the body again, for the group that gave it up alone, with all its attempts.
   *
   * @param group which group's letter, where several gave up the same message; without it the
   * newest
   */
  redrive(id: string, group?: string): Promise<boolean> {
    return this.revive(id, group, true);
  }

  /** Deletes it for good; `group` as in `redrive`. */
  drop(id: string, group?: string): Promise<boolean> {
    return this.revive(id, group, false);
  }

  private async walk(wanted: number): Promise<RawLetter[]> {
    const letters: RawLetter[] = [];
    let cursor = '+';
    while (letters.length < wanted) {
      const limit = Math.min(PAGE, wanted - letters.length);
      const page = await lettersScript.run(this.core.connection, this.space, { cursor, limit });
      letters.push(...page);
      if (page.length < limit) break;
      cursor = `(${page[page.length - 1].position}`;
    }
    return letters;
  }

  private async revive(id: string, group: string | undefined, again: boolean): Promise<boolean> {
    const wantedGroup = group === undefined ? '' : checkName('group', group);
    const terms = { id: checkName('id', id), wantedGroup, again };
    for (let cursor = '+'; cursor !== '';) {
      cursor = await reviveScript.run(this.core.connection, this.space, { ...terms, cursor });
      if (cursor === 'done') return true;
    }
    return false;
  }
}
