import { PortolanError } from '@portolan/plugin-api';

/**
 * Creates the error for an attempt to rename a workload. Its port, login and secrets are stored under its
 * name.
 */
export function nameImmutable(name: string): PortolanError {
  return new PortolanError(
    'ERR_SETTINGS_CONFLICT',
    'mistake',
    `--name cannot change the name of the workload ${name}.`,
    {
      hint: `Export the workload with \`portolan export ${name} FILE\`, change \`name\` in the file, and run it with \`portolan run --from-config FILE\`.`,
    },
  );
}

/** Creates the error for unsetting a value that comes from the workload's registry entry. */
export function ofEntry(setting: string, server: string): PortolanError {
  return new PortolanError(
    'ERR_SETTINGS_CONFLICT',
    'mistake',
    `--unset ${setting}: the registry entry ${server} sets this value; expected a setting that the entry does not set.`,
    {
      hint: `Set another value, or run the entry again with \`portolan run ${server} --replace\`.`,
    },
  );
}
