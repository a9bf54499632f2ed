import type { Logger, SecretStoreHostContext } from '@portolan/plugin-api';
import { isPortolanError } from '@portolan/plugin-api';
import { passwordRefused, storeLocked, wrongPassword } from './errors.ts';
import type { Keyring, KeyringAccount } from './keyring.ts';

const MAX_TRIES = 3;

export interface PasswordContext extends Pick<SecretStoreHostContext, 'environment' | 'askPassword'> {
  readonly keyring: Keyring;
  readonly logger: Logger;
}

export interface PasswordQuestion {
  readonly file: string;
  readonly account: KeyringAccount;
  /** Environment variable that may contain the password. */
  readonly variable: string;
  /** Returns whether a password opens the file; undefined for a new file, which accepts any. */
  readonly opens: ((password: string) => Promise<boolean>) | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Returns the password from the variable, else from the keyring, else from the user, whose password it stores
 * in the keyring. Throws ERR_SECRET_STORE_PASSWORD for a wrong password, and ERR_SECRET_STORE_LOCKED when
 * there is none.
 */
export async function findPassword(context: PasswordContext, question: PasswordQuestion): Promise<string> {
  const { file, variable, opens = takesAny } = question;
  const { [variable]: fromVariable } = context.environment;
  if (fromVariable !== undefined && fromVariable !== '') {
    if (await opens(fromVariable)) return fromVariable;
    throw wrongPassword(file, `The password in ${variable}`, `Correct ${variable}, or unset it.`);
  }
  const stored = await lookIntoKeyring(context.keyring, question.account);
  if ('password' in stored && (await opens(stored.password))) return stored.password;
  if (context.askPassword === undefined) {
    if (!('password' in stored)) throw storeLocked(file, stored.without);
    throw wrongPassword(
      file,
      'The password in the keyring',
      'Run `portolan secret reset-keyring`, then try again on a terminal.',
    );
  }
  const password = await (question.opens === undefined ? askForNew : askForKnown)(context, question);
  await keep(context, question.account, password);
  return password;
}

const takesAny = (): Promise<boolean> => Promise.resolve(true);

type KeyringLookup = { readonly password: string } | { readonly without: string };

async function lookIntoKeyring(keyring: Keyring, account: KeyringAccount): Promise<KeyringLookup> {
  try {
    const password = await keyring.find(account);
    return password === undefined || password === '' ? { without: 'the keyring has none' } : { password };
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    return { without: lowerFirst(error.message.replace(/\.$/, '')) };
  }
}

async function askForNew({ askPassword }: PasswordContext, { signal }: PasswordQuestion): Promise<string> {
  if (askPassword === undefined) throw passwordRefused('no prompt is possible');
  const password = await askPassword('New password for the secrets', signal);
  if (password === '') throw passwordRefused('it is empty');
  if ((await askPassword('The same password again', signal)) !== password) {
    throw passwordRefused('the second one is another');
  }
  return password;
}

async function askForKnown(
  { askPassword }: PasswordContext,
  { file, opens = takesAny, signal }: PasswordQuestion,
): Promise<string> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const again = tries === 0 ? '' : 'That is not it. ';
    const password = (await askPassword?.(`${again}Password of the secrets`, signal)) ?? '';
    if (password !== '' && (await opens(password))) return password;
  }
  throw wrongPassword(
    file,
    'The password',
    'Run the command again with the password the file was made with.',
  );
}

async function keep(
  { keyring, logger }: PasswordContext,
  account: KeyringAccount,
  password: string,
): Promise<void> {
  try {
    await keyring.keep(account, password);
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    logger.info(
      { reason: error.message },
      'the password is not stored; the next command prompts for it again',
    );
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
