import { PortolanError } from '@portolan/plugin-api';
import { quote } from './text-faults.ts';

/** A variable is not KEY=VALUE. Its value is never shown: it may be a secret. */
export function badEnvironmentVariable(place: string, key: string | undefined, fault: string): PortolanError {
  const what = key === undefined || key === '' ? 'a variable' : `the variable ${quote(key)}`;
  return new PortolanError('ERR_SETTING', 'mistake', `${place}: ${what} cannot be used: ${fault}.`, {
    hint: 'Write KEY=VALUE, for example REGION=eu.',
  });
}

/** A flag takes a variable from the environment, which does not have it. */
export function environmentVariableUnset(name: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `--env: the environment has no variable ${quote(name)}; expected one, or a value.`,
    { hint: `Set the variable in your shell and export it, or write \`-e ${name}=VALUE\`.` },
  );
}

/** A label is not KEY=VALUE, or its key cannot be one. */
export function badLabel(place: string, text: string, fault: string): PortolanError {
  return new PortolanError('ERR_LABEL', 'mistake', `${place}: ${quote(text)} is no label: ${fault}.`, {
    hint: 'Write KEY=VALUE, for example team=maps.',
  });
}

/** A label that only Portolan itself, or another tool, sets. */
export function reservedLabel(place: string, key: string, prefix: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `${place}: the label ${quote(key)} is not for users.`, {
    hint: `Choose a key that does not begin with ${prefix}.`,
  });
}

/** A header for a remote server is not Name=Value, or must not be sent. Its value is never shown. */
export function badForwardedHeader(place: string, fault: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `${place}: ${fault}.`, {
    hint: 'Write Name=Value, for example X-Tenant=acme; headers of the connection itself are not forwarded.',
  });
}

/** A mount is not host:container[:ro], or cannot be mounted. */
export function badVolume(place: string, text: string, fault: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `${place}: ${quote(text)} cannot be mounted: ${fault}.`,
    {
      hint: 'Write HOST-PATH:CONTAINER-PATH, with :ro behind it to forbid writing: ./notes:/data:ro.',
    },
  );
}

/** A mount could mean a folder of the working directory or a volume of the engine. */
export function ambiguousVolume(text: string, name: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `--volume: ${quote(text)} cannot be mounted: ${name} is in this folder, and may also name a volume of the engine.`,
    { hint: `Write ./${text} for the file or folder, or volume://${text} for the volume.` },
  );
}

/** A published port is not hostPort:containerPort. */
export function badPublishedPort(place: string, text: string, fault: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `${place}: ${quote(text)} cannot be published: ${fault}.`,
    {
      hint: 'Write HOST-PORT:CONTAINER-PORT, for example 8080:80, or the container port alone.',
    },
  );
}

/** A secret reference is not NAME,target=TARGET. The text is not shown: it may be the secret. */
export function badSecretReference(place: string, text: string): PortolanError {
  const shown = /,target=|^[A-Za-z][A-Za-z0-9._-]{0,31}$/.test(text) ? '' : ' (it is not shown)';
  return new PortolanError(
    'ERR_SECRET_REFERENCE',
    'mistake',
    `${place}: invalid secret parameter format${shown}.`,
    {
      hint: 'Write NAME,target=VARIABLE, for example weather-key,target=API_KEY; the name has no comma.',
    },
  );
}

/** A host is neither an IP address nor a host name. */
export function badHost(place: string, text: string): PortolanError {
  return new PortolanError(
    'ERR_HOST',
    'mistake',
    `${place}: found ${quote(text)}; expected an IP address or a host name.`,
    {
      hint: 'Leave out scheme, port and path: 127.0.0.1, ::1, or gateway.acme.example.',
    },
  );
}

/** A setting has a value that it cannot have. The message quotes the value. */
export function badSetting(place: string, found: string, expected: string): PortolanError {
  return unusableSetting(place, quote(found), expected);
}

/** A setting has a number that it cannot have. The message does not quote it: `0x1ffff` was written as such. */
export function badNumber(place: string, found: number, expected: string): PortolanError {
  return unusableSetting(place, String(found), expected);
}

/** A setting has a value that the message describes and does not quote, because it may be a secret. */
export function unusableSetting(place: string, found: string, expected: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', `${place}: found ${found}; expected ${expected}.`, {
    hint: `Write ${expected}.`,
  });
}
