import { Gatherer } from '../delivery/index.js';
import type { KeySpace } from '../redis/index.js';
import type { GroupsCore } from './groups.core.js';
import { refusedGroup } from './group-claims.js';
import type { NewMessage, PublishOutcome, PublishResult } from './group-message.js';
import { MAX_BATCH } from './groups.options.js';
import { publishScript } from './groups.scripts.js';
import { encodeMessage, type EncodedMessage } from './new-message.js';

/** Publishes to one topic: messages of one tick share a call, each settling by itself. */
export class GroupPublisher {
  private readonly gatherer: Gatherer<EncodedMessage, number>;

  constructor(
    private readonly core: GroupsCore,
    private readonly space: KeySpace,
  ) {
    this.gatherer = new Gatherer({
      maxItems: MAX_BATCH,
      maxCalls: 1, // a call that has to be sent again must not be overtaken by the next one
      sizeOf: ({ payload }) => payload.length,
      send: (messages) => this.send(messages),
    });
  }

  async publish(message: NewMessage): Promise<PublishResult> {
    const encoded = encodeMessage(message, this.core.settings);
    if ((await this.gatherer.add(encoded)) !== 1) throw refusedGroup(message.group);
    return { id: encoded.id };
  }

  /** All are checked before the first is sent. */
  async publishMany(messages: readonly NewMessage[]): Promise<PublishOutcome[]> {
    const encoded = messages.map((message) => encodeMessage(message, this.core.settings));
    const codes = await Promise.all(encoded.map((one) => this.outcomeOf(one)));
    return encoded.map(({ id }, at) => {
      const code = codes[at];
      if (code instanceof Error) return { id, error: code };
      return code === 1 ? { id } : { id, error: refusedGroup(messages[at].group) };
    });
  }

  /** Messages before one that failed are in, so the failure is its own result. */
  private outcomeOf(message: EncodedMessage): Promise<number | Error> {
    return this.gatherer.add(message).catch((error: unknown) => error as Error);
  }

  private async send(messages: readonly EncodedMessage[]): Promise<readonly number[]> {
    const flat: (string | Buffer)[] = [];
    for (const { group, tier, id, headers, payload } of messages)
      flat.push(group, String(tier), id, headers, payload);
    const { newGroupsFirst } = this.core.settings;
    const args = { newGroupsFirst, messages: flat };
    const codes = await publishScript.run(this.core.connection, this.space, args);
    return codes === 1 ? messages.map(() => 1) : codes;
  }
}
