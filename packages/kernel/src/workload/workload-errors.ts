import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an unknown kind. `sort` is the sort of kind, such as `transport`. */
export function kindUnknown(sort: string, name: string, known: readonly string[]): PortolanError {
  const expected = known.length === 0 ? 'none is available' : `expected ${known.join(', ')}`;
  return new PortolanError(
    'ERR_KIND_UNKNOWN',
    'mistake',
    `Unknown ${sort} ${JSON.stringify(name)}; ${expected}.`,
    {
      hint: 'Correct the name, install its plugin with `portolan plugins install`, or name the plugin in "plugins" of the configuration. `portolan kinds` lists all kinds.',
    },
  );
}

/**
 * Creates the error for a session store address that the store's kind rejects. Omits the address, which may
 * contain a password.
 */
export function sessionStoreAddress(where: string, fault: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `The address of ${where} is invalid: ${fault}.`, {
    hint: 'Write for example --session-store redis://redis.acme.example:6379/0.',
  });
}
