import { PortolanError } from '@portolan/plugin-api';

/** Nothing brings a kind of this name. `sort` is what it would be a kind of: `transport`. */
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

/** An address that its session store cannot use. It is not repeated: somebody may have written a password into it. */
export function sessionStoreAddress(where: string, fault: string): PortolanError {
  return new PortolanError(
    'ERR_SESSION_STORE_ADDRESS',
    'mistake',
    `The address of ${where} cannot be used: ${fault}.`,
    { hint: 'Give one such as --session-store redis://redis.acme.example:6379/0.' },
  );
}
