import { PortolanError } from '@portolan/plugin-api';
import { quote } from '../parse/text-faults.ts';
import type { RuntimeBlocker } from '../registry-entry/runtime-settings.ts';

/** Creates the error for two conflicting settings. */
export function settingsConflict(one: string, other: string, because: string): PortolanError {
  return new PortolanError(
    'ERR_SETTINGS_CONFLICT',
    'mistake',
    `${one} cannot be used with ${other}: ${because}.`,
    {
      hint: 'Omit one of the two.',
    },
  );
}

/** Creates the error for an entry's runtime argument that the server needs and the run does not support. */
export function runtimeArgumentRefused(
  server: string,
  { argument, because, unless, network }: RuntimeBlocker,
): PortolanError {
  const flags = {
    network: `If you trust the server with that network, add \`--network ${network ?? 'NETWORK'}\`.`,
    privileged:
      'If you trust the server with the whole machine, name a profile file with "privileged": true by `--permission-profile FILE`.',
    never: 'Run the image or package of the entry itself, with the settings that it needs.',
  };
  return new PortolanError(
    'ERR_RUNTIME_ARGUMENT',
    'mistake',
    `${server} cannot run with its runtime argument ${quote(argument)}: ${because}.`,
    { hint: flags[unless] },
  );
}

/** Creates the error for flags next to an exported file, which would have no effect. */
export function settingsBesideFile(flags: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SETTINGS_CONFLICT',
    'mistake',
    `--from-config cannot be used with other configuration flags: [${flags.join(' ')}].`,
    { hint: 'Change the file, or omit --from-config.' },
  );
}

/** Creates the error for invalid user settings, with every problem and its place. */
export function badUserSettings(file: string, problems: readonly string[]): PortolanError {
  const text = problems.map((problem) => `\n  ${problem}`).join('');
  return new PortolanError('ERR_USER_SETTINGS', 'mistake', `${file} is invalid:${text}`, {
    hint: 'Correct the file, or delete it and restore its settings with `portolan config`.',
  });
}
