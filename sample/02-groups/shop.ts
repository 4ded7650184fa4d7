import type { OrderLine, OrderStep } from './order-event.js';

/** How many customers the shop has; a few of them order most. */
const CUSTOMERS = 350;
const ORDERS = 800;
const OPENED_AT = Date.UTC(2026, 0, 5, 6);
const MINUTE_MS = 60_000;

/** How an order may go, and how often it does in a hundred. */
const COURSES: readonly (readonly [share: number, steps: readonly OrderStep[]])[] = [
  [78, ['placed', 'paid', 'packed', 'shipped', 'delivered']],
  [8, ['placed', 'paid', 'packed', 'shipped', 'delivered', 'returned', 'refunded']],
  [9, ['placed', 'cancelled']],
  [5, ['placed', 'paid', 'cancelled', 'refunded']],
];

/** All events of the shop's first days, oldest first; the same at every call. */
export function shopEvents(): OrderLine[] {
  const random = numbersFrom(20_260_105);
  const lines: OrderLine[] = [];
  for (let order = 1; order <= ORDERS; order++) lines.push(...courseOf(order, random));
  return lines.sort((one, other) => one.time.localeCompare(other.time));
}

function courseOf(order: number, random: () => number): OrderLine[] {
  // most orders come from few customers, as they do
  const customer = `C${String(Math.floor(random() ** 2.5 * CUSTOMERS) + 1).padStart(4, '0')}`;
  const cents = 500 + Math.floor(random() ** 3 * 40_000);
  let time = OPENED_AT + Math.floor(random() * 3 * 24 * 60) * MINUTE_MS;
  return stepsBy(random() * 100).map((type) => {
    time += (1 + Math.floor(random() * 600)) * MINUTE_MS;
    const id = `O-${String(order).padStart(5, '0')}`;
    return { time: new Date(time).toISOString(), customer, order: id, type, cents };
  });
}

function stepsBy(draw: number): readonly OrderStep[] {
  let passed = 0;
  const found = COURSES.find(([share]) => (passed += share) > draw);
  return (found ?? COURSES[0])[1];
}

/** Numbers from 0 to below 1 that are the same for the same start. */
function numbersFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
