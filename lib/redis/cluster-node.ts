import { isClusterClient, type RedisClient } from './client.js';

const SLOTS = 16_384;
const POLYNOMIAL = 0x1021;

/**
 * The client of the node that serves `key`; the client itself when there is no cluster.
 * Where the slot's owner is not known yet the cluster's client is the answer.
 */
export function nodeOf(client: RedisClient, key: string): RedisClient {
  if (!isClusterClient(client)) return client;
  const address = client.slots[slotOf((client.options.keyPrefix ?? '') + key)]?.[0];
  const node = client
    .nodes('master')
    .find(({ options }) => `${options.host}:${options.port}` === address);
  return node ?? client;
}

/** The hash tag of a key, the part within its first braces; the whole key without one. */
export function tagOf(key: string): string {
  const open = key.indexOf('{');
  const close = open === -1 ? -1 : key.indexOf('}', open + 1);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}

/** The hash slot of a key: CRC16 (XMODEM) of its hash tag. */
export function slotOf(key: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tagOf(key))) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
    crc &= 0xffff;
  }
  return crc % SLOTS;
}
