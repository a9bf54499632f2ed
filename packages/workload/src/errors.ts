import { PortolanError } from '@portolan/plugin-api';
import { oneOf, quote } from './parse/text-faults.ts';

/** A variable is not KEY=VALUE. Its value is never shown: it may be a secret. */
export function badEnvironmentVariable(place: string, key: string | undefined, fault: string): PortolanError {
  const what = key === undefined || key === '' ? 'a variable' : `the variable ${quote(key)}`;
  return new PortolanError(
    'ERR_ENVIRONMENT_VARIABLE',
    'mistake',
    `${place}: ${what} cannot be used: ${fault}.`,
    {
      hint: 'Write KEY=VALUE, for example REGION=eu.',
    },
  );
}

/** A file of variables, or a folder of such files, cannot be read. */
export function environmentFileUnreadable(file: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_ENVIRONMENT_FILE', 'mistake', `Cannot read ${file}: ${textOf(cause)}.`, {
    hint: 'Name a file of KEY=VALUE lines that you may read.',
    cause,
  });
}

/** A label is not key=value, or its parts are not what labels of Kubernetes may be. */
export function badLabel(place: string, text: string, fault: string): PortolanError {
  return new PortolanError('ERR_LABEL', 'mistake', `${place}: ${quote(text)} is no label: ${fault}.`, {
    hint: 'Write key=value; letters, digits, "-", "_" and ".", at most 63 of them on each side.',
  });
}

/** A label that only Portolan itself, or another tool, sets. */
export function reservedLabel(place: string, key: string, prefix: string): PortolanError {
  return new PortolanError(
    'ERR_LABEL_RESERVED',
    'mistake',
    `${place}: the label ${quote(key)} is not for users.`,
    {
      hint: `Choose a key that does not begin with ${prefix}.`,
    },
  );
}

/** A header for a remote server is not Name=Value, or must not be sent. Its value is never shown. */
export function badForwardedHeader(place: string, fault: string): PortolanError {
  return new PortolanError('ERR_FORWARDED_HEADER', 'mistake', `${place}: ${fault}.`, {
    hint: 'Write Name=Value, for example X-Tenant=acme; headers of the connection itself are not forwarded.',
  });
}

/** A mount is not host:container[:ro], or cannot be mounted. */
export function badVolume(place: string, text: string, fault: string): PortolanError {
  return new PortolanError('ERR_VOLUME', 'mistake', `${place}: ${quote(text)} cannot be mounted: ${fault}.`, {
    hint: 'Write HOST-PATH:CONTAINER-PATH, with :ro behind it to forbid writing: ./notes:/data:ro.',
  });
}

/** A published port is not hostPort:containerPort. */
export function badPublishedPort(place: string, text: string, fault: string): PortolanError {
  return new PortolanError(
    'ERR_PUBLISHED_PORT',
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

/** Nothing can listen at a host: it has no address, or one of another machine. */
export function hostNotHere(host: string, cause: unknown): PortolanError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const fault = code === 'EADDRNOTAVAIL' ? 'it is no address of this machine' : 'the name has no address';
  return new PortolanError('ERR_HOST', 'mistake', `--host: nothing can listen at ${quote(host)}: ${fault}.`, {
    hint: 'Name an address of this machine: 127.0.0.1, ::1, or 0.0.0.0 for all of them.',
    cause,
  });
}

/** What should be run is none of the things that can be run. */
export function badRunTarget(text: string, fault: string, hint: string): PortolanError {
  return new PortolanError('ERR_RUN_TARGET', 'mistake', `Cannot run ${quote(text)}: ${fault}.`, { hint });
}

/** What stands behind a package scheme is no package of that ecosystem. */
export function badPackage(text: string, fault: string, hint: string): PortolanError {
  return new PortolanError('ERR_PACKAGE', 'mistake', `${quote(text)} names no package: ${fault}.`, { hint });
}

/** A workload cannot have this name. */
export function badWorkloadName(place: string, text: string, fault: string): PortolanError {
  return new PortolanError(
    'ERR_WORKLOAD_NAME',
    'mistake',
    `${place}: ${quote(text)} is no workload name: ${fault}.`,
    {
      hint: 'Use letters, digits, ".", "_" and "-", at most 100 of them.',
    },
  );
}

/** A group cannot have this name. */
export function badGroupName(place: string, text: string): PortolanError {
  return new PortolanError('ERR_GROUP_NAME', 'mistake', `${place}: ${quote(text)} is no group name.`, {
    hint: 'Use small letters, digits, "_", "-" and single spaces between words, at most 100 of them.',
  });
}

/** A setting has a value that it cannot have. */
export function badSetting(place: string, found: string, expected: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `${place}: found ${quote(found)}; expected ${expected}.`,
    {
      hint: `Write ${expected}.`,
    },
  );
}

/** Two settings that exclude each other were both given. */
export function settingsConflict(one: string, other: string, because: string): PortolanError {
  return new PortolanError(
    'ERR_SETTINGS_CONFLICT',
    'mistake',
    `${one} cannot be used with ${other}: ${because}.`,
    {
      hint: 'Leave one of the two out.',
    },
  );
}

/** An exported file stands alone: settings beside it would have no effect. */
export function settingsBesideFile(flags: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SETTINGS_BESIDE_FILE',
    'mistake',
    `--from-config cannot be used with other configuration flags: [${flags.join(' ')}].`,
    { hint: 'Change the file, or leave --from-config out.' },
  );
}

/** The file of a run configuration or permission profile cannot be read. */
export function fileUnreadable(what: string, file: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_RUN_FILE_UNREADABLE',
    'mistake',
    `Cannot read the ${what} ${file}: ${textOf(cause)}.`,
    {
      hint: 'Name a file that exists and that you may read.',
      cause,
    },
  );
}

/** The text of a run configuration is no JSON document of that kind; every problem with its place. */
export function badRunConfig(file: string, problems: readonly string[]): PortolanError {
  const text = problems.map((problem) => `\n  ${problem}`).join('');
  return new PortolanError('ERR_RUN_CONFIG', 'mistake', `${file} is no run configuration:${text}`, {
    hint: 'Export the workload again, or correct what is named.',
  });
}

/** A run configuration of a format that this version does not know. */
export function runConfigVersion(file: string, found: string, known: string): PortolanError {
  return new PortolanError(
    'ERR_RUN_CONFIG_VERSION',
    'mistake',
    `${file} has the format ${quote(found)}; this version of Portolan reads ${known}.`,
    { hint: 'Use the version of Portolan that has written it, or a newer one.' },
  );
}

/** A run config asks for protections that cannot be given. */
export function protectionsNotEnforced(name: string, fields: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_RUN_CONFIG_PROTECTION',
    'mistake',
    `${name === '' ? 'The workload' : name} is not run: this version of Portolan cannot enforce ${fields.join(', ')}.`,
    { hint: 'Take the fields out only if the workload may run without them.' },
  );
}

/** A run configuration holds a secret in clear and was about to be written. */
export function runConfigHoldsSecret(places: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_RUN_CONFIG_SECRET',
    'refused',
    `The run configuration holds a secret in clear, and is not written: ${places.join(', ')}.`,
    { hint: 'Store the secret with `portolan secret set`, and refer to it as NAME,target=TARGET.' },
  );
}

/** A permission profile is not what one is; every problem with its place. */
export function badPermissionProfile(place: string, problems: readonly string[]): PortolanError {
  const text = problems.map((problem) => `\n  ${problem}`).join('');
  return new PortolanError('ERR_PERMISSION_PROFILE', 'mistake', `${place} is no permission profile:${text}`, {
    hint: 'Use none, network, or a JSON file with name, read, write, network and privileged.',
  });
}

/** A registry entry has nothing that can be run here. */
export function entryNotRunnable(name: string, because: string): PortolanError {
  return new PortolanError('ERR_ENTRY_NOT_RUNNABLE', 'fault', `${name} cannot be run: ${because}.`, {
    hint: 'Name an image, a package or a URL instead of the registry entry.',
  });
}

/** An answer is none of those that a registry entry allows for an input. */
export function badInputValue(input: string, choices: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_INPUT_VALUE',
    'mistake',
    `The value given for ${input} is not ${oneOf(choices.map((choice) => quote(choice)))}.`,
    { hint: 'Choose one of the values that the registry entry lists.' },
  );
}

/** A secret would have to be kept where only clear text can stand. */
export function secretInClear(input: string, where: string): PortolanError {
  return new PortolanError(
    'ERR_SECRET_IN_CLEAR',
    'mistake',
    `${input} is a secret, but stands in ${where}.`,
    {
      hint: 'Give arguments of your own behind `--`, or run the image or URL itself; what is given there is kept in clear.',
    },
  );
}

/** Required inputs of a registry entry have no value, and nobody can be asked. */
export function missingInputs(names: readonly string[]): PortolanError {
  const what = names.length === 1 ? 'environment variable' : 'environment variables';
  return new PortolanError('ERR_INPUTS_MISSING', 'mistake', `missing required ${what}: ${names.join(', ')}`, {
    hint: 'Give each with -e NAME=VALUE or --secret SECRET,target=NAME, or run the command on a terminal.',
  });
}

/** The proxy port that was asked for is in use. */
export function portTaken(port: number, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_PROXY_PORT_TAKEN',
    'conflict',
    `requested proxy port ${port} is not available`,
    {
      hint: 'Choose another --proxy-port, leave it out, or stop what listens there.',
      cause,
    },
  );
}

/** Every port that was tried is in use. */
export function noFreePort(from: number, to: number): PortolanError {
  return new PortolanError('ERR_NO_FREE_PORT', 'busy', `No port from ${from} to ${to} is free.`, {
    hint: 'Stop workloads that are not needed, or name a port with --proxy-port.',
  });
}

/** A file of the state is damaged; nothing was changed. */
export function stateDamaged(file: string, fault: string): PortolanError {
  return new PortolanError('ERR_STATE_DAMAGED', 'fault', `${file} is damaged: ${fault}.`, {
    hint: 'Run `portolan doctor --fix`, or remove the workload with `portolan rm`; the file is kept beside it.',
  });
}

/** A file of the state was written by a newer version; nothing was changed. */
export function stateNewer(file: string, found: number, known: number): PortolanError {
  return new PortolanError(
    'ERR_STATE_NEWER',
    'conflict',
    `${file} has format ${found}; this version of Portolan knows formats up to ${known}.`,
    { hint: 'Use the newer version of Portolan that has written it.' },
  );
}

/** A file where state should be is something else; nothing was changed. */
export function stateForeign(file: string, found: string): PortolanError {
  return new PortolanError(
    'ERR_STATE_FOREIGN',
    'conflict',
    `${file} is no state of a workload: found ${found}.`,
    {
      hint: 'Move the file away; it was left as it is.',
    },
  );
}

/** A file of the state cannot be read or written: rights, a full disk, a folder in its place. */
export function stateInaccessible(file: string, doing: 'read' | 'write', cause: unknown): PortolanError {
  return new PortolanError('ERR_STATE_INACCESSIBLE', 'fault', `Cannot ${doing} ${file}: ${textOf(cause)}.`, {
    hint: 'Check free space and rights of the folder; what was there before is unchanged.',
    cause,
  });
}

/** Where a text is to be written, there is something that is not to be replaced. */
export function outputNoFile(file: string): PortolanError {
  return new PortolanError(
    'ERR_OUTPUT_FILE',
    'mistake',
    `Cannot write ${file}: it is a folder or a device.`,
    {
      hint: 'Name a file, or let the shell redirect standard output.',
    },
  );
}

/** Another process holds the lock for too long. */
export function stateBusy(what: string, holder: string, waitedMs: number): PortolanError {
  return new PortolanError(
    'ERR_STATE_BUSY',
    'busy',
    `${what} is being changed by ${holder}; waited ${Math.round(waitedMs / 1000)} s.`,
    { hint: 'Wait for the other command to end, or stop it, and try again.' },
  );
}

/** A workload of this name exists already. */
export function workloadExists(name: string): PortolanError {
  return new PortolanError('ERR_WORKLOAD_EXISTS', 'conflict', `workload with name '${name}' already exists`, {
    hint: 'Choose another --name, remove it with `portolan rm`, or run again with --replace.',
  });
}

/** There is no workload of this name. */
export function workloadUnknown(name: string): PortolanError {
  return new PortolanError('ERR_WORKLOAD_UNKNOWN', 'absent', `There is no workload named ${quote(name)}.`, {
    hint: 'See `portolan list --all` for the names.',
  });
}

/** The code of an error of the system or of ours; undefined where there is none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The message of what was thrown, without its last period. */
export function textOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
}

/** The user's settings are not what they should be; every problem with its place. */
export function badUserSettings(file: string, problems: readonly string[]): PortolanError {
  const text = problems.map((problem) => `\n  ${problem}`).join('');
  return new PortolanError('ERR_USER_SETTINGS', 'mistake', `${file} cannot be used:${text}`, {
    hint: 'Correct the file, or delete it and set what it had again with `portolan config`.',
  });
}
