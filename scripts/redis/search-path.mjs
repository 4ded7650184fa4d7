import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first executable of that name on PATH, or undefined. */
export function onPath(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((dir) => join(dir, name))
    .find(isExecutable);
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
