import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an invalid permission profile, with every problem and its place. */
export function badPermissionProfile(place: string, problems: readonly string[]): PortolanError {
  const text = problems.map((problem) => `\n  ${problem}`).join('');
  return new PortolanError(
    'ERR_PERMISSION_PROFILE',
    'mistake',
    `${place} is not a permission profile:${text}`,
    {
      hint: 'Use none, network, or a JSON file with name, read, write, network and privileged.',
    },
  );
}
