import { PortolanError } from '@portolan/plugin-api';

/** A permission profile is not what one is; every problem with its place. */
export function badPermissionProfile(place: string, problems: readonly string[]): PortolanError {
  const text = problems.map((problem) => `\n  ${problem}`).join('');
  return new PortolanError('ERR_PERMISSION_PROFILE', 'mistake', `${place} is no permission profile:${text}`, {
    hint: 'Use none, network, or a JSON file with name, read, write, network and privileged.',
  });
}
