/** Where the Lua sources are. */
export const LUA_DIR: string;
/** Every Lua file below `dir` (default: the sources), the includes too. */
export function luaFiles(dir?: string): string[];
/** Every script below `dir` (default: the sources) with its includes resolved. */
export function readScripts(
  dir?: string,
): readonly { readonly name: string; readonly lua: string; readonly sha1: string }[];
