// What a run costs: time, CPU of both processes, commands and bytes on the wire.
import { readFileSync } from 'node:fs';

const parseInfo = (text) =>
  Object.fromEntries(
    String(text)
      .split('\r\n')
      .filter((line) => line.includes(':'))
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );

/** Seconds that all processors of this machine have been busy; 0 where that cannot be read. */
function machineBusy() {
  try {
    const ticks = readFileSync('/proc/stat', 'latin1').split('\n')[0].split(/ +/).slice(1);
    const [user, nice, system, , , irq, softirq, steal] = ticks.map(Number);
    return (user + nice + system + irq + softirq + steal) / 100;
  } catch {
    return 0;
  }
}

export async function snapshot(admin) {
  const at = performance.now();
  const cpu = process.cpuUsage();
  const info = parseInfo(await admin.info('everything'));
  return {
    at,
    node: (cpu.user + cpu.system) / 1e6,
    redis: Number(info.used_cpu_sys) + Number(info.used_cpu_user),
    memory: Number(info.used_memory),
    commands: Number(info.total_commands_processed),
    busy: machineBusy(),
  };
}

/** What happened between two snapshots, a job. */
export function between(a, b, jobs) {
  const seconds = (b.at - a.at) / 1000;
  const own = b.redis - a.redis + b.node - a.node;
  return {
    rate: Math.round(jobs / seconds),
    redisCpu: round(((b.redis - a.redis) / jobs) * 1e4, 4),
    nodeCpu: round(((b.node - a.node) / jobs) * 1e4, 4),
    foreign: round(Math.max(0, (b.busy - a.busy - own) / seconds), 2),
  };
}

export function round(value, digits) {
  return Number(value.toFixed(digits));
}

export function quantile(values, share) {
  const sorted = [...values].sort((x, y) => x - y);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** A payload of about 100 bytes as JSON. */
export function payload(index) {
  return { id: index, user: `user-${index}`, kind: 'welcome-mail', at: 1764000000000 + index };
}
