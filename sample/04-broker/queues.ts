import { defineQueue } from 'nest-redis-queue';

/** Where letters come in; each is a department's name, a colon and a text. */
export const inbox = defineQueue<string>({ engine: 'broker', name: 'inbox' });

/** The departments' own queues. */
export const DEPARTMENTS = ['sales', 'support', 'billing'] as const;

/** A department's name, and that of its queue. */
export type Department = (typeof DEPARTMENTS)[number];

/** The department that a letter is for. */
export function departmentOf(letter: string): Department {
  const [name] = letter.split(':', 1);
  const found = DEPARTMENTS.find((department) => department === name);
  if (found) return found;
  throw new Error(`nobody here is called ${name}`);
}
