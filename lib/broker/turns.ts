/** Runs the calls of one name one after another, and those of different names side by side. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Calls once the calls before it under this name have ended, well or not. */
  take<T>(name: string, call: () => Promise<T>): Promise<T> {
    const before = this.last.get(name);
    const result = before === undefined ? call() : before.then(call);
    const ended = result
      .catch(() => undefined) // told to its own caller
      .finally(() => {
        if (this.last.get(name) === ended) this.last.delete(name);
      });
    this.last.set(name, ended);
    return result;
  }
}
