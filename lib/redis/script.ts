import { LUA_SCRIPTS, type ScriptName } from '../generated/lua-scripts.js';
import type { Codec, ScriptArgument } from './codecs.js';
import type { CallOptions, EmbeddedScript } from './calls.js';
import type { KeySpace } from './key-space.js';

/** What a script is: its file, its arguments in the order of ARGV, and how to read its reply. */
export interface ScriptDefinition<Args, Reply> {
  readonly name: ScriptName;
  readonly args: { readonly [Key in keyof Args]: Codec<Args[Key]> };
  readonly reply: (raw: unknown) => Reply;
  /** Whether the same call run twice does what one does, so that it is sent again when its reply is lost. */
  readonly idempotent?: boolean;
  /** Whether it changes nothing: then it is idempotent too, and none of its failures ambiguous. */
  readonly readsOnly?: boolean;
}

/** What a script runs on; a `RedisConnection`. */
export interface ScriptRunner {
  evaluate(
    script: EmbeddedScript,
    keys: readonly string[],
    args: readonly ScriptArgument[],
    options?: CallOptions,
  ): Promise<unknown>;
}

/** A script with named arguments and a typed reply. */
export interface Script<Args, Reply> {
  readonly name: ScriptName;
  /** The names of the arguments in the order of ARGV. */
  readonly argumentNames: readonly string[];
  /** Whether the last argument is a list that is spread over the rest of ARGV. */
  readonly endsInList: boolean;
  /** The text and SHA-1 that `run` sends. */
  readonly source: EmbeddedScript;
  /** ARGV for these arguments; throws `InvalidOptionError` naming the one of a wrong type. */
  encode(args: Args): ScriptArgument[];
  /** What a raw reply means. */
  decode(raw: unknown): Reply;
  /** Runs it on the queue of `space`; rejects as `RedisConnection.evaluate` does. */
  run(connection: ScriptRunner, space: KeySpace, args: Args, options?: CallOptions): Promise<Reply>;
}

const defined: Script<never, unknown>[] = [];

/** Names a script's arguments and reply; once for each script, at module level. */
export function defineScript<Args, Reply>(
  definition: ScriptDefinition<Args, Reply>,
): Script<Args, Reply> {
  const script = new DefinedScript(definition);
  defined.push(script);
  return script;
}

/** Every script that a loaded module has defined; a test compares them with the Lua files. */
export function definedScripts(): readonly Script<never, unknown>[] {
  return defined;
}

class DefinedScript<Args, Reply> implements Script<Args, Reply> {
  readonly name: ScriptName;
  readonly argumentNames: readonly (keyof Args & string)[];
  readonly endsInList: boolean;
  readonly source: EmbeddedScript;
  readonly #codecs: readonly Codec<Args[keyof Args]>[];
  readonly #options: CallOptions;

  constructor(private readonly definition: ScriptDefinition<Args, Reply>) {
    this.name = definition.name;
    this.source = { ...LUA_SCRIPTS[definition.name], name: definition.name };
    this.argumentNames = Object.keys(definition.args) as (keyof Args & string)[];
    this.#codecs = this.argumentNames.map((name) => definition.args[name]);
    const { readsOnly = false, idempotent = readsOnly } = definition;
    this.#options = { idempotent, readsOnly };
    const firstList = this.#codecs.findIndex(({ many }) => many);
    this.endsInList = firstList !== -1;
    if (this.endsInList && firstList !== this.#codecs.length - 1) {
      throw new TypeError(`${this.name}: only the last argument may be a list`);
    }
  }

  encode(args: Args): ScriptArgument[] {
    const argv: ScriptArgument[] = [];
    for (let index = 0; index < this.#codecs.length; index++) {
      const name = this.argumentNames[index];
      this.#codecs[index].write(argv, name, args[name]);
    }
    return argv;
  }

  decode(raw: unknown): Reply {
    return this.definition.reply(raw);
  }

  async run(
    connection: ScriptRunner,
    space: KeySpace,
    args: Args,
    options?: CallOptions,
  ): Promise<Reply> {
    const argv = this.encode(args);
    const callOptions = options === undefined ? this.#options : { ...this.#options, ...options };
    return this.decode(await connection.evaluate(this.source, space.keys, argv, callOptions));
  }
}
