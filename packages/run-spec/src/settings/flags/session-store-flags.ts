import { unusableSetting } from '../../parse/parse-errors.ts';
import { findSecretReference, formatSecretReference } from '../../parse/secret-reference.ts';
import type { FlagRow } from '../flag-row.ts';

export const SESSION_STORE_FLAGS = {
  sessionStore: {
    flag: 'session-store',
    is: 'text',
    group: 'TRANSPORT AND PROXY',
    description:
      'store in which several proxies share the sessions of a streamable-http server: memory, or redis://HOST:PORT/DB (rediss:// over TLS)',
    fallback: 'memory, separate in each proxy',
    helpValue: 'ADDRESS',
    field: 'session_store',
    convert: (text) => (text === 'memory' ? '' : text),
    setting: { default: '' },
  },
  sessionStorePassword: {
    flag: 'session-store-password',
    is: 'text',
    group: 'TRANSPORT AND PROXY',
    description: 'name of the secret with the password of the session store',
    helpValue: 'SECRET',
    field: 'session_store_password',
    convert: referenceToPassword,
    setting: { default: '' },
  },
} as const satisfies Readonly<Record<string, FlagRow>>;

/**
 * Returns the reference to the password of the session store. Throws ERR_SETTING, which does not quote the
 * text.
 */
function referenceToPassword(text: string, place: string): string {
  if (findSecretReference(text) !== undefined) return text;
  const reference = formatSecretReference({ name: text, target: 'session_store_password' });
  if (findSecretReference(reference) !== undefined) return reference;
  throw unusableSetting(place, 'no name of a secret', 'the name of a secret');
}
