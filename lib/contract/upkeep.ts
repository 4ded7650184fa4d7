/** What a run of upkeep found, so that the next one comes neither too late nor for nothing. */
export interface UpkeepReport {
  /** Milliseconds until there is something to do again, as far as the server knows. */
  readonly nextInMs: number;
}

/** Periodic engine work of one queue: promote, recover, trim. */
export interface UpkeepTask {
  /** Names the task in logs, for example `jobs:emails`. */
  readonly name: string;
  /** The pause between two runs while there is work, in milliseconds; by default the promoter's. */
  readonly everyMs?: number;
  /** Runs once; `signal` ends a wait for the connection, so that a stop does not wait for Redis. */
  run(signal?: AbortSignal): Promise<UpkeepReport>;
  /** Takes a listener for: something began here that wants a run within so many milliseconds. */
  onBusy?(listener: (withinMs: number) => void): void;
}
