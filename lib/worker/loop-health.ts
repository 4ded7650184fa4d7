/** What a probe wants to know about one loop. */
export interface LoopHealth {
  readonly name: string;
  /** Whether it was started and not stopped since. */
  readonly claiming: boolean;
  /** Whether it was told to stop. */
  readonly stopping: boolean;
  /** How many handlers may run at once. */
  readonly slots: number;
  /** How many handlers run now. */
  readonly running: number;
  /** How many messages were claimed ahead and wait for a slot. */
  readonly prefetched: number;
  /** How many outcomes are not written yet. */
  readonly unsettled: number;
  /** When a claim was last answered, in epoch milliseconds of this host's clock; `null` before. */
  readonly lastClaimAt: number | null;
  /** What keeps it from claiming, extending or settling; `null` while all is well. */
  readonly lastError: string | null;
}
