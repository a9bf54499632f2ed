import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a change of a workload's name. Its port, login and secrets belong to the name. */
export function nameKept(name: string): PortolanError {
  return new PortolanError(
    'ERR_SETTINGS_CONFLICT',
    'mistake',
    `--name cannot change: ${name} keeps its name.`,
    {
      hint: `For another name, export it with \`portolan export ${name} FILE\`, change \`name\` in the file, and run it with \`portolan run --from-config FILE\`.`,
    },
  );
}

/** Creates the error for unsetting a value that the workload's registry entry defines. */
export function ofEntry(setting: string, server: string): PortolanError {
  return new PortolanError(
    'ERR_SETTINGS_CONFLICT',
    'mistake',
    `--unset ${setting}: found a setting of the registry entry ${server}; expected one without a value in the entry.`,
    {
      hint: `Give the value that you want, or run the entry again with \`portolan run ${server} --replace\`.`,
    },
  );
}
