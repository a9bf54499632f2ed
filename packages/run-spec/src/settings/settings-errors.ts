import { PortolanError } from '@portolan/plugin-api';

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

/** The user's settings are not what they should be; every problem with its place. */
export function badUserSettings(file: string, problems: readonly string[]): PortolanError {
  const text = problems.map((problem) => `\n  ${problem}`).join('');
  return new PortolanError('ERR_USER_SETTINGS', 'mistake', `${file} cannot be used:${text}`, {
    hint: 'Correct the file, or delete it and set what it had again with `portolan config`.',
  });
}
