import { findStoreAddress } from '../parse/store-address.ts';
import { findSecretReference, formatSecretReference } from '../parse/secret-reference.ts';
import { badSetting } from './settings-errors.ts';

/** Its name, for those who have several of them. */
const IN_MEMORY = 'memory';
const TARGET = 'session_store_password';

/** The address of a session store; empty for the memory of each proxy. Throws ERR_SETTING, which does not repeat a password. */
export function checkSessionStore(text: string, place: string): string {
  if (text === IN_MEMORY || text === '') return '';
  if (findStoreAddress(text) !== undefined) return text;
  const shown = text.includes('@') ? 'an address with a user in it' : text;
  throw badSetting(place, shown, 'memory, or an address without a password, redis://HOST:PORT/DB');
}

/** A secret by its name, as a reference. Throws ERR_SETTING, which does not repeat what may be a password. */
export function checkStorePassword(text: string, place: string): string {
  if (findSecretReference(text) !== undefined) return text;
  const reference = formatSecretReference({ name: text, target: TARGET });
  if (findSecretReference(reference) !== undefined) return reference;
  throw badSetting(place, 'something else', 'the name of a secret');
}
