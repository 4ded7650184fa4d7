import { describeClaims } from './claims.js';
import { describeDeadLetters } from './dead-letters.js';
import type { EngineHarness } from './harness.js';
import { describeLeases } from './leases.js';
import { describeLoop } from './loop.js';
import { describePayloads } from './payloads.js';
import { describeSettles } from './settles.js';
import { QueueFixture } from './queue-fixture.js';

/**
 * Checks every promise of the contract between claim loop and engine against one engine.
 *
 * An engine's spec is one call: `describeEngineContract('jobs', harness)`. The harness says what
 * the engine cannot do (`capabilities`), opens a fresh queue for every test and closes it after.
 */
export function describeEngineContract(name: string, harness: EngineHarness): void {
  describe(`the engine contract: ${name}`, () => {
    const fixture = new QueueFixture(harness);
    beforeEach(() => fixture.open());
    afterEach(() => fixture.close());

    describeClaims(fixture);
    describeSettles(fixture);
    describeLeases(fixture);
    describeDeadLetters(fixture);
    describePayloads(fixture);
    describeLoop(fixture);
  });
}
