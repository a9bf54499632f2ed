import { PortolanError } from '@portolan/plugin-api';
import { quote } from '@portolan/run-spec';

/** Creates the error for a use of secrets before the user has chosen a secret store. */
export function secretsNotSetUp(because?: string): PortolanError {
  const reason = because === undefined ? '' : `: ${because}`;
  return new PortolanError('ERR_SECRETS_NOT_SET_UP', 'mistake', `secrets provider not configured${reason}`, {
    hint: 'Run `portolan secret setup`, or set PORTOLAN_SECRETS_PROVIDER=environment.',
  });
}

/**
 * Creates the error for a chosen secret store that no installed plugin provides. `cause` is the error about
 * the unknown kind.
 */
export function secretStoreGone(cause: PortolanError, isFromVariable: boolean): PortolanError {
  const choice = isFromVariable
    ? 'set PORTOLAN_SECRETS_PROVIDER to another store'
    : 'choose another store with `portolan secret provider TYPE`';
  return new PortolanError('ERR_KIND_UNKNOWN', 'mistake', cause.message, {
    hint: `Install the plugin that provides it with \`portolan plugins install\`, or ${choice}. Portolan does not move secrets between stores.`,
    cause,
  });
}

export function secretsProviderUnknown(
  place: string,
  actual: string,
  known: readonly string[],
): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `${place}: found ${quote(actual)}; expected one of ${known.join(', ')}.`,
    { hint: 'Choose one with `portolan secret provider`.' },
  );
}

export function secretsMissing(names: readonly string[], provider: string): PortolanError {
  const which = names.map((name) => quote(name)).join(', ');
  const what = names.length === 1 ? 'The secret' : 'The secrets';
  const verb = names.length === 1 ? 'was' : 'were';
  return new PortolanError(
    'ERR_SECRET_NOT_FOUND',
    'absent',
    `${what} ${which} ${verb} not found (${provider}).`,
    { hint: hintOf(names, provider) },
  );
}

function hintOf(names: readonly string[], provider: string): string {
  const isOne = names.length === 1;
  if (provider === '1password') return 'Look up the reference in 1Password: op://VAULT/ITEM/FIELD.';
  if (provider === 'environment') {
    const variables = names.map((name) => `PORTOLAN_SECRET_${name}`).join(', ');
    return `Set the variable${isOne ? '' : 's'} ${variables}.`;
  }
  const commands = names.map((name) => `\`portolan secret set ${shellWord(name)}\``).join(', ');
  return `Store ${isOne ? 'it' : 'them'} with ${commands}.`;
}

function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export function secretNotThere(name: string, provider: string): PortolanError {
  return new PortolanError(
    'ERR_SECRET_NOT_FOUND',
    'absent',
    `The secret ${quote(name)} was not found (${provider}).`,
    { hint: '`portolan secret list` shows the names.' },
  );
}

/** Creates the error for secret names that the secret store does not allow. */
export function secretNamesRefused(faults: readonly string[], hint: string): PortolanError {
  return new PortolanError('ERR_SECRET_NAME', 'mistake', faults.join('\n'), { hint });
}

export function secretStoreReadOnly(provider: string, doing: 'set' | 'delete' | 'list'): PortolanError {
  return new PortolanError(
    'ERR_SECRET_STORE_READ_ONLY',
    'mistake',
    `The secrets provider "${provider}" cannot ${doing} secrets.`,
    {
      hint:
        provider === 'environment'
          ? 'Set the variable PORTOLAN_SECRET_NAME, or choose `portolan secret provider encrypted`.'
          : 'Change it in the store itself, or choose `portolan secret provider encrypted`.',
    },
  );
}

/** Creates the error for a secret name with a prefix that is reserved for Portolan's own secrets. */
export function secretNameReserved(name: string): PortolanError {
  return new PortolanError(
    'ERR_SECRET_NAME',
    'mistake',
    `${quote(name)} is reserved for a secret of Portolan.`,
    { hint: 'Choose another name; `portolan secret list --system` shows the secrets of Portolan.' },
  );
}

/**
 * Creates the error for reading a secret that belongs to Portolan itself, to builds, or to another workload.
 */
export function secretReserved(name: string, whose: string): PortolanError {
  return new PortolanError(
    'ERR_SECRET_RESERVED',
    'mistake',
    `The secret ${quote(name)} belongs to ${whose}, and a workload can read only its own secrets.`,
    { hint: 'Store the value under a name of your own with `portolan secret set NAME`, and use that name.' },
  );
}

/** Creates the error for a secret name that a reference `NAME,target=VARIABLE` cannot contain. */
export function badSecretName(name: string): PortolanError {
  return new PortolanError('ERR_SECRET_NAME', 'mistake', `${quote(name)} is not a valid secret name.`, {
    hint: 'Use a name without commas, control characters, and leading or trailing white space, such as weather-key.',
  });
}

/** Creates the error for a secret store that failed its test: it does not return what was stored. */
export function secretStoreUnfaithful(provider: string): PortolanError {
  return new PortolanError(
    'ERR_SECRETS_PROVIDER_TEST',
    'fault',
    `The secrets provider "${provider}" did not return the value that was stored in it, so it was not selected.`,
    { hint: 'Check the plugin that provides this store.' },
  );
}

export function secretStoreReadsNothingForeign(provider: string): PortolanError {
  return new PortolanError(
    'ERR_SECRET_IMPORT',
    'fault',
    `The secrets provider "${provider}" cannot import files of other programs.`,
    { hint: 'Use the provider "encrypted" that Portolan ships.' },
  );
}
