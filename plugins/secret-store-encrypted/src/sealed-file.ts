import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { DEFAULT_COST, type FileKeys, findCostFault, type KeyCost } from './derive-keys.ts';
import { storeDamaged, storeFull, storeNewer } from './errors.ts';

/** Maximum size of all names and values as JSON, in bytes. */
export const MAX_PLAIN_BYTES = 32 * 1024 * 1024;

const MAGIC = Buffer.from('PORTOLAN-SECRETS', 'latin1');
const FORMAT = 1;
const SALT_BYTES = 32;
const NONCE_BYTES = 12;
const PROOF_BYTES = 16;
const TAG_BYTES = 16;
const COST_AT = MAGIC.length + 1;
const SALT_AT = COST_AT + 3;
const NONCE_AT = SALT_AT + SALT_BYTES;
const KEY_PROOF_AT = NONCE_AT + NONCE_BYTES;
const SUM_AT = KEY_PROOF_AT + PROOF_BYTES;
const HEADER_BYTES = SUM_AT + PROOF_BYTES;

export const MAX_FILE_BYTES = MAX_PLAIN_BYTES + HEADER_BYTES + TAG_BYTES;

export interface KeySeed {
  readonly salt: Buffer;
  readonly cost: KeyCost;
}

export interface SealedFile {
  readonly seed: KeySeed;
  readonly bytes: Buffer;
}

export type Secrets = ReadonlyMap<string, string>;

export function newSeed(cost: KeyCost = DEFAULT_COST): KeySeed {
  return { salt: randomBytes(SALT_BYTES), cost };
}

/**
 * Mark, format, cost and salt of the key, nonce, a proof of the key, and a checksum over all that. The
 * checksum distinguishes a damaged header from a wrong password; it protects only against accidents. Throws
 * ERR_SECRET_STORE_DAMAGED and ERR_SECRET_STORE_NEWER.
 */
export function readSealedFile(content: Uint8Array, file: string): SealedFile {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (bytes.length === 0) throw storeDamaged(file, 'it is empty');
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC))
    throw storeDamaged(file, 'it does not begin as a file of secrets does');
  const format = bytes[MAGIC.length] ?? 0;
  if (format > FORMAT) throw storeNewer(file, format, FORMAT);
  if (bytes.length < HEADER_BYTES + TAG_BYTES) throw storeDamaged(file, 'it is cut');
  if (format !== FORMAT || !bytes.subarray(SUM_AT, HEADER_BYTES).equals(sumOf(bytes))) {
    throw storeDamaged(file, 'its head was changed');
  }
  const cost = {
    log2N: bytes.readUInt8(COST_AT),
    r: bytes.readUInt8(COST_AT + 1),
    p: bytes.readUInt8(COST_AT + 2),
  };
  const fault = findCostFault(cost);
  if (fault !== undefined) throw storeDamaged(file, fault);
  return { seed: { salt: bytes.subarray(SALT_AT, NONCE_AT), cost }, bytes };
}

/** Returns whether these are the keys of the file, without decrypting anything. */
export function isKeyOf({ bytes }: SealedFile, keys: FileKeys): boolean {
  return timingSafeEqual(bytes.subarray(KEY_PROOF_AT, SUM_AT), proofOf(bytes, keys));
}

/** Throws ERR_SECRET_STORE_DAMAGED, because the keys were verified before. */
export function unseal({ bytes }: SealedFile, keys: FileKeys, file: string): Secrets {
  const decipher = createDecipheriv('aes-256-gcm', keys.cipher, bytes.subarray(NONCE_AT, KEY_PROOF_AT), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(bytes.subarray(0, HEADER_BYTES));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  const plain = decipher.update(bytes.subarray(HEADER_BYTES, bytes.length - TAG_BYTES));
  try {
    decipher.final();
  } catch {
    throw storeDamaged(file, 'the password is right, but what it protects was changed or cut');
  }
  const secrets = parseSecrets(plain.toString('utf8'));
  if (secrets === undefined) throw storeDamaged(file, 'the decrypted content is not a list of secrets');
  return secrets;
}

/** Encrypts the secrets with a new nonce. Throws ERR_SECRET_STORE_FULL. */
export function seal(secrets: Secrets, seed: KeySeed, keys: FileKeys, file: string): Buffer {
  const plain = Buffer.from(JSON.stringify({ secrets: Object.fromEntries(secrets) }));
  if (plain.length > MAX_PLAIN_BYTES) throw storeFull(file, MAX_PLAIN_BYTES);
  const head = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(head);
  head.writeUInt8(FORMAT, MAGIC.length);
  head.set([seed.cost.log2N, seed.cost.r, seed.cost.p], COST_AT);
  seed.salt.copy(head, SALT_AT);
  randomBytes(NONCE_BYTES).copy(head, NONCE_AT);
  proofOf(head, keys).copy(head, KEY_PROOF_AT);
  sumOf(head).copy(head, SUM_AT);
  const cipher = createCipheriv('aes-256-gcm', keys.cipher, head.subarray(NONCE_AT, KEY_PROOF_AT), {
    authTagLength: TAG_BYTES,
  });
  cipher.setAAD(head);
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([head, sealed, cipher.getAuthTag()]);
}

/** Parses `{"secrets":{"name":"value"}}`; undefined for anything else. */
export function parseSecrets(text: string): Secrets | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('secrets' in value)) return undefined;
    const { secrets } = value;
    if (typeof secrets !== 'object' || secrets === null || Array.isArray(secrets)) return undefined;
    const entries = Object.entries(secrets);
    return entries.every(isTextEntry) ? new Map(entries) : undefined;
  } catch {
    return undefined; // the text is not JSON
  }
}

function isTextEntry(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}

function proofOf(bytes: Buffer, keys: FileKeys): Buffer {
  return createHmac('sha256', keys.proof)
    .update(bytes.subarray(0, KEY_PROOF_AT))
    .digest()
    .subarray(0, PROOF_BYTES);
}

function sumOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes.subarray(0, SUM_AT)).digest().subarray(0, PROOF_BYTES);
}
