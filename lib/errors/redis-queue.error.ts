/**
 * Root of every error that this library throws.
 *
 * Tell errors apart by class or by `code`, which stays the same over releases and survives
 * two copies of the library in one process; messages may change.
 */
export class RedisQueueError extends Error {
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}
