import { PortolanError } from '@portolan/plugin-api';
import { quote } from './text-faults.ts';

/** Creates the error for an invalid variable. Omits its value, which may be secret. */
export function badEnvironmentVariable(place: string, key: string | undefined, fault: string): PortolanError {
  const what = key === undefined || key === '' ? 'a variable' : `the variable ${quote(key)}`;
  return new PortolanError('ERR_SETTING', 'mistake', `${place}: ${what} is invalid: ${fault}.`, {
    hint: 'Write KEY=VALUE, for example REGION=eu.',
  });
}

/** Creates the error for a flag that refers to an unset environment variable. */
export function environmentVariableUnset(name: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `--env: the environment has no variable ${quote(name)}; expected a variable or a value.`,
    { hint: `Set the variable in your shell and export it, or write \`-e ${name}=VALUE\`.` },
  );
}

/** Creates the error for a label that is not KEY=VALUE or has an invalid key. */
export function badLabel(place: string, text: string, fault: string): PortolanError {
  return new PortolanError('ERR_LABEL', 'mistake', `${place}: ${quote(text)} is not a label: ${fault}.`, {
    hint: 'Write KEY=VALUE, for example team=maps.',
  });
}

/** Creates the error for a label that only Portolan or another tool sets. */
export function reservedLabel(place: string, key: string, prefix: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `${place}: the label ${quote(key)} is reserved.`, {
    hint: `Choose a key that does not begin with ${prefix}.`,
  });
}

/** Creates the error for a header that is not Name=Value or must not be sent. Omits its value. */
export function badForwardedHeader(place: string, fault: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `${place}: ${fault}.`, {
    hint: 'Write Name=Value, for example X-Tenant=acme. Headers of the connection are not forwarded.',
  });
}

/** Creates the error for an invalid mount. */
export function badVolume(place: string, text: string, fault: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `${place}: ${quote(text)} cannot be mounted: ${fault}.`,
    {
      hint: 'Write HOST-PATH:CONTAINER-PATH, with :ro at the end for read-only access: ./notes:/data:ro.',
    },
  );
}

/** Creates the error for a mount that could mean a folder in the working directory or a volume. */
export function ambiguousVolume(text: string, name: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `--volume: ${quote(text)} is ambiguous: ${name} exists in this folder, and could also name a volume of the engine.`,
    { hint: `Write ./${text} for the file or folder, or volume://${text} for the volume.` },
  );
}

/** Creates the error for an invalid published port. */
export function badPublishedPort(place: string, text: string, fault: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `${place}: ${quote(text)} cannot be published: ${fault}.`,
    {
      hint: 'Write HOST-PORT:CONTAINER-PORT, for example 8080:80, or only the container port.',
    },
  );
}

/** Creates the error for an invalid secret reference. Omits the text, which may be the secret. */
export function badSecretReference(place: string, text: string): PortolanError {
  const shown = /,target=|^[A-Za-z][A-Za-z0-9._-]{0,31}$/.test(text) ? '' : ' (it is not shown)';
  return new PortolanError(
    'ERR_SECRET_REFERENCE',
    'mistake',
    `${place}: invalid secret parameter format${shown}.`,
    {
      hint: 'Write NAME,target=VARIABLE, for example weather-key,target=API_KEY. The name cannot contain a comma.',
    },
  );
}

/** Creates the error for a host that is neither an IP address nor a host name. */
export function badHost(place: string, text: string): PortolanError {
  return new PortolanError(
    'ERR_HOST',
    'mistake',
    `${place}: found ${quote(text)}; expected an IP address or a host name.`,
    {
      hint: 'Omit scheme, port and path: 127.0.0.1, ::1, or gateway.acme.example.',
    },
  );
}

/** Creates the error for an invalid value of a setting. The message quotes the value. */
export function badSetting(place: string, actual: string, expected: string): PortolanError {
  return unusableSetting(place, quote(actual), expected);
}

/**
 * Creates the error for an invalid number. The message does not quote it, because it may have been written
 * differently (`0x1ffff`).
 */
export function badNumber(place: string, actual: number, expected: string): PortolanError {
  return unusableSetting(place, String(actual), expected);
}

/**
 * Creates the error for an invalid value that may be secret. The message describes the value without quoting
 * it.
 */
export function unusableSetting(place: string, actual: string, expected: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `${place}: found ${actual}; expected ${expected}.`, {
    hint: `Write ${expected}.`,
  });
}
