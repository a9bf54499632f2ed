import type { SecretListing, SecretStore, SecretStoreHostContext } from '@portolan/plugin-api';
import { deriveKeys, type FileKeys, type KeyCost } from './derive-keys.ts';
import { badSecretName, foreignUnreadable, wrongPassword } from './errors.ts';
import type { KeyringAccount } from './keyring.ts';
import { findPassword, type PasswordContext } from './password-source.ts';
import {
  isKeyOf,
  type KeySeed,
  MAX_FILE_BYTES,
  newSeed,
  readSealedFile,
  seal,
  type SealedFile,
  type Secrets,
  unseal,
  MAX_PLAIN_BYTES,
  parseSecrets,
} from './sealed-file.ts';
import { createDecipheriv, createHash } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Minimum size in bytes of a file with content. */
const SHORTEST_REFERENCE_FILE = NONCE_BYTES + TAG_BYTES;

/**
 * Reads `secrets_encrypted` of the reference implementation: a nonce, then AES-256-GCM with the SHA-256 of
 * the password as its key. A wrong password is indistinguishable from a damaged file. Throws
 * ERR_SECRET_IMPORT.
 */
function readReferenceFile(content: Uint8Array, password: string): Secrets {
  if (content.length === 0) return new Map();
  if (content.length < SHORTEST_REFERENCE_FILE) throw foreignUnreadable('it is cut');
  if (content.length > MAX_PLAIN_BYTES + SHORTEST_REFERENCE_FILE) throw foreignUnreadable('it is too long');
  const key = createHash('sha256').update(password).digest();
  const decipher = createDecipheriv('aes-256-gcm', key, content.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(content.subarray(content.length - TAG_BYTES));
  const plain = decipher.update(content.subarray(NONCE_BYTES, content.length - TAG_BYTES));
  try {
    decipher.final();
  } catch {
    throw foreignUnreadable('the password is wrong, or the file was changed');
  }
  const secrets = parseSecrets(plain.toString('utf8'));
  if (secrets === undefined) throw foreignUnreadable('the decrypted content is not a list of secrets');
  return secrets;
}

const FILE = 'encrypted';
const OUR_ACCOUNT: KeyringAccount = { service: 'portolan', account: 'portolan' };
const REFERENCE_ACCOUNT: KeyringAccount = { service: 'toolhive', account: 'toolhive' };
const OUR_VARIABLE = 'PORTOLAN_SECRETS_PASSWORD';
const REFERENCE_VARIABLE = 'TOOLHIVE_SECRETS_PASSWORD';
const MAX_NAME_LENGTH = 255;

export interface EncryptedStoreContext extends PasswordContext, Pick<SecretStoreHostContext, 'files'> {
  /** Cost of key derivation for a new file; undefined: a secure default. */
  readonly cost?: KeyCost;
}

/**
 * Secrets in an encrypted file. Each change encrypts all of them again. The store asks for the password
 * before it locks the file, and keeps the password in memory while it is open.
 */
export class EncryptedStore implements SecretStore {
  readonly #context: EncryptedStoreContext;
  readonly #keys = new Map<string, Promise<FileKeys>>();
  #password: Promise<string> | undefined;

  constructor(context: EncryptedStoreContext) {
    this.#context = context;
  }

  async find(name: string, signal?: AbortSignal): Promise<string | undefined> {
    checkName(name);
    return (await this.#read(signal)).get(name);
  }

  async set(name: string, value: string, signal?: AbortSignal): Promise<void> {
    checkName(name);
    await this.#change((secrets) => new Map(secrets).set(name, value), signal);
  }

  async delete(name: string, signal?: AbortSignal): Promise<boolean> {
    checkName(name);
    let deleted = false;
    await this.#change((secrets) => {
      const left = new Map(secrets);
      deleted = left.delete(name);
      return deleted ? left : undefined;
    }, signal);
    return deleted;
  }

  async list(signal?: AbortSignal): Promise<readonly SecretListing[]> {
    return [...(await this.#read(signal)).keys()].toSorted().map((name) => ({ name }));
  }

  async forgetPassword(): Promise<boolean> {
    return await this.#context.keyring.forget(OUR_ACCOUNT);
  }

  async readForeign(content: Uint8Array, signal?: AbortSignal): Promise<Secrets> {
    let secrets: Secrets | undefined;
    const opens = (password: string): Promise<boolean> => {
      try {
        secrets = readReferenceFile(content, password);
        return Promise.resolve(true);
      } catch {
        return Promise.resolve(false); // unknown, because this format cannot verify a password
      }
    };
    if (content.length < SHORTEST_REFERENCE_FILE) return readReferenceFile(content, '');
    const { keyring } = this.#context;
    const context = {
      ...this.#context,
      keyring: {
        find: async (entry: KeyringAccount) => await keyring.find(entry),
        keep: () => Promise.resolve(), // the password of the other program, which stays in use
        forget: () => Promise.resolve(false),
      },
    };
    const [variable, account] = [REFERENCE_VARIABLE, REFERENCE_ACCOUNT];
    await findPassword(context, { file: 'the file to import', account, variable, opens, signal });
    if (secrets === undefined) throw foreignUnreadable('the password is wrong, or the file was changed');
    return secrets;
  }

  async #read(signal: AbortSignal | undefined): Promise<Secrets> {
    const content = await this.#context.files.read(FILE, MAX_FILE_BYTES);
    return content === undefined ? new Map() : await this.#open(content, signal);
  }

  async #change(
    change: (secrets: Secrets) => Secrets | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { files } = this.#context;
    const before = await files.read(FILE, MAX_FILE_BYTES);
    // Ask the user while the file is unlocked for other processes.
    if (before !== undefined) await this.#open(before, signal);
    else if (change(new Map()) === undefined) return;
    else await this.#passwordFor(undefined, signal);
    await files.update(
      FILE,
      MAX_FILE_BYTES,
      async (content) => {
        const isNew = content === undefined;
        const sealed = isNew ? undefined : readSealedFile(content, this.#path);
        const changed = change(isNew ? new Map() : await this.#open(content, signal));
        if (changed === undefined) return undefined;
        const seed = sealed?.seed ?? newSeed(this.#context.cost);
        return seal(
          changed,
          seed,
          await this.#keysOf(await this.#passwordFor(sealed, signal), seed),
          this.#path,
        );
      },
      signal,
    );
  }

  async #open(content: Uint8Array, signal: AbortSignal | undefined): Promise<Secrets> {
    const sealed = readSealedFile(content, this.#path);
    const keys = await this.#keysOf(await this.#passwordFor(sealed, signal), sealed.seed);
    if (!isKeyOf(sealed, keys)) {
      this.#password = undefined;
      throw wrongPassword(
        this.#path,
        'The password',
        'The file was replaced meanwhile; run the command again.',
      );
    }
    return unseal(sealed, keys, this.#path);
  }

  /**
   * Returns the password. Concurrent callers share one question; after a failure, the next caller asks again.
   */
  #passwordFor(sealed: SealedFile | undefined, signal: AbortSignal | undefined): Promise<string> {
    const opens =
      sealed === undefined
        ? undefined
        : async (password: string) => isKeyOf(sealed, await this.#keysOf(password, sealed.seed));
    this.#password ??= findPassword(this.#context, {
      file: this.#path,
      account: OUR_ACCOUNT,
      variable: OUR_VARIABLE,
      opens,
      signal,
    }).catch((error: unknown) => {
      this.#password = undefined;
      throw error;
    });
    return this.#password;
  }

  #keysOf(password: string, { salt, cost }: KeySeed): Promise<FileKeys> {
    const id = `${salt.toString('hex')} ${cost.log2N} ${cost.r} ${cost.p} ${password}`;
    const keys = this.#keys.get(id) ?? deriveKeys(password, Buffer.from(salt), cost);
    this.#keys.set(id, keys);
    return keys;
  }

  get #path(): string {
    return this.#context.files.pathOf(FILE);
  }
}

function checkName(name: string): void {
  if (name === '' || name.trim() !== name) throw badSecretName('it is empty, or has white space around it');
  if (name.length > MAX_NAME_LENGTH) throw badSecretName(`it has more than ${MAX_NAME_LENGTH} characters`);
  if (/\p{Cc}/u.test(name)) throw badSecretName('it holds control characters');
}
