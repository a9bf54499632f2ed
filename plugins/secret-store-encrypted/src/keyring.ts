import { keyringUnavailable } from './errors.ts';

/**
 * Keyring of the operating system. Its functions reject with ERR_SECRET_KEYRING where there is no keyring.
 */
export interface Keyring {
  find(account: KeyringAccount): Promise<string | undefined>;
  keep(account: KeyringAccount, password: string): Promise<void>;
  /** Deletes the password. Returns false when there was none. */
  forget(account: KeyringAccount): Promise<boolean>;
}

export interface KeyringAccount {
  readonly service: string;
  readonly account: string;
}

/** Maximum wait in milliseconds, because a keyring may ask the user to unlock it. */
const MAX_MS = 120_000;

/**
 * Returns the keyring of the system: Keychain on macOS, Credential Manager on Windows; on Linux the Secret
 * Service, else the kernel's keyring, which is lost at a restart.
 */
export const keyringOfSystem: Keyring = {
  find: async (account) => (await withEntry(account, (entry) => entry.getPassword())) ?? undefined,
  keep: async (account, password) => await withEntry(account, (entry) => entry.setPassword(password)),
  forget: async (account) => await withEntry(account, (entry) => entry.deleteCredential()),
};

export const NO_KEYRING: Keyring = {
  find: () => Promise.reject(keyringUnavailable('it is switched off', undefined)),
  keep: () => Promise.reject(keyringUnavailable('it is switched off', undefined)),
  forget: () => Promise.reject(keyringUnavailable('it is switched off', undefined)),
};

type Entry = import('@napi-rs/keyring').AsyncEntry;

async function withEntry<Result>(
  { service, account }: KeyringAccount,
  use: (entry: Entry) => Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not respond')), MAX_MS);
  });
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring');
    return await Promise.race([use(new AsyncEntry(service, account)), late]);
  } catch (error) {
    throw keyringUnavailable(reasonOf(error), error);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the reason of a failure, because the library's messages name neither keyring nor session bus. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/prompt was dismissed|is ?locked/i.test(text)) return 'it is locked, and was not unlocked';
  if (/AccessDenied|dbus|platform failure/i.test(text)) return 'no keyring service responds in this session';
  return text;
}
