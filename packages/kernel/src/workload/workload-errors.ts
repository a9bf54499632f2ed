import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an unknown kind. `sort` is the sort of kind, such as `transport`. */
export function kindUnknown(sort: string, name: string, known: readonly string[]): PortolanError {
  const which = known.length === 0 ? 'there is none' : `there is ${known.join(', ')}`;
  return new PortolanError(
    'ERR_KIND_UNKNOWN',
    'mistake',
    `There is no ${sort} ${JSON.stringify(name)}: ${which}.`,
    {
      hint: 'Correct the name, or install the plugin that brings it with `portolan plugins install`, or name that plugin in "plugins" of the configuration. `portolan kinds` lists all.',
    },
  );
}

/**
 * Creates the error for an address that its session store cannot use. Omits the address, which may contain a
 * password.
 */
export function sessionStoreAddress(where: string, fault: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `The address of ${where} cannot be used: ${fault}.`, {
    hint: 'Give one such as --session-store redis://redis.acme.example:6379/0.',
  });
}
