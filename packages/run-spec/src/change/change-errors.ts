import { PortolanError } from '@portolan/plugin-api';

/** A change cannot rename a workload: its port, login and secrets belong to the name. */
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

/** A setting of a workload of a registry entry is unset, and the entry says its value. */
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
