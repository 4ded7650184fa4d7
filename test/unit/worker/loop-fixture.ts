import type { Handler } from '../../../lib/contract/index.js';
import { ClaimLoop, type LoopOptions } from '../../../lib/worker/index.js';
import { RecordingLogger } from '../../contract/logs.js';
import { ScriptedSource } from './scripted-source.js';

const open: ClaimLoop[] = [];

/** A started loop over a scripted source; `endLoops` drains it. */
export function startLoop(handler: Handler, options: LoopOptions = {}) {
  const source = new ScriptedSource();
  const logger = new RecordingLogger();
  const loop = new ClaimLoop({ name: 'test', source, handler, options, logger });
  open.push(loop);
  loop.start();
  return { loop, source, logger };
}

export async function endLoops(): Promise<void> {
  await Promise.all(open.splice(0).map((loop) => loop.drain(0)));
}

/** One turn of the event loop: all that follows from what happened so far has happened. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
