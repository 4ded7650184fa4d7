import { checkInteger } from '../errors/index.js';
import { checkName } from '../redis/index.js';
import { checkQueues } from './streams.options.js';

/** Settings that only processors of the streams engine have. */
export interface StreamsProcessorSettings {
  /**
   * The consumer group: processors of one group share the entries, each group gets every entry.
   * @default the engine's group, 'default'
   */
  readonly group?: string;
  /**
   * An entry that was taken over more often than this is dead-lettered. Where neither the
   * processor nor the engine says so, `retry.attempts` limits its runs.
   */
  readonly maxDeliveries?: number;
}

/** The same with the queues that a processor may name in place of one. */
interface Settings extends StreamsProcessorSettings {
  readonly queues?: readonly string[];
}

/** Their names. */
export const STREAMS_PROCESSOR_SETTINGS = Object.freeze([
  'group',
  'maxDeliveries',
  'queues',
] as const satisfies readonly (keyof Settings)[]);

/**
 * Checks the settings; what is left out is left to the engine.
 *
 * @param owner goes before the option's name in errors
 * @throws InvalidOptionError naming the option
 */
export function checkStreamsProcessor(
  { group, maxDeliveries, queues }: Settings,
  owner: string,
): Settings {
  return {
    ...(group !== undefined && { group: checkName(`${owner}group`, group) }),
    ...(maxDeliveries !== undefined && {
      maxDeliveries: checkInteger(`${owner}maxDeliveries`, maxDeliveries, { min: 1 }),
    }),
    ...(queues !== undefined && { queues: checkQueues(queues, `${owner}queues`) }),
  };
}
