import { scrypt } from 'node:crypto';

/** Cost parameters of scrypt (RFC 7914), with N as a power of two. */
export interface KeyCost {
  readonly log2N: number;
  readonly r: number;
  readonly p: number;
}

export interface FileKeys {
  readonly cipher: Buffer;
  /** Key that proves that a password belongs to the file. */
  readonly proof: Buffer;
}

/** Default cost: 32 MiB of memory, three times. */
export const DEFAULT_COST: KeyCost = { log2N: 15, r: 8, p: 3 };

const LEAST_LOG2_N = 14;
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
const MAX_P = 16;
const KEY_BYTES = 32;

/**
 * Refuses parameters that are weaker than any ever written, or so costly that opening the file would be an
 * attack.
 */
export function findCostFault({ log2N, r, p }: KeyCost): string | undefined {
  if (log2N < LEAST_LOG2_N || r < 1 || p < 1 || p > MAX_P) return 'its key parameters are none that are used';
  return 128 * 2 ** log2N * r > MAX_MEMORY_BYTES ? 'its key parameters ask for too much memory' : undefined;
}

export async function deriveKeys(password: string, salt: Buffer, cost: KeyCost): Promise<FileKeys> {
  const options = { N: 2 ** cost.log2N, r: cost.r, p: cost.p, maxmem: 2 * MAX_MEMORY_BYTES };
  const key = await new Promise<Buffer>((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, 2 * KEY_BYTES, options, (error, derived) => {
      if (error === null) resolve(derived);
      else reject(error);
    });
  });
  return { cipher: key.subarray(0, KEY_BYTES), proof: key.subarray(KEY_BYTES) };
}
