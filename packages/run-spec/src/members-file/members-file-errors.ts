import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an invalid members file, with every problem and its place. */
export function badMembersFile(file: string, problems: readonly string[]): PortolanError {
  const text = problems.map((problem) => `\n  ${problem}`).join('');
  return new PortolanError('ERR_SETTING', 'mistake', `${file} is not a valid members file:${text}`, {
    hint: 'Correct the named places. `docs/reference/members-file.md` describes each field.',
  });
}
