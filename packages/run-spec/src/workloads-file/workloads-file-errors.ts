import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an invalid workloads file, with every problem and its place. */
export function badWorkloadsFile(file: string, problems: readonly string[]): PortolanError {
  const text = problems.map((problem) => `\n  ${problem}`).join('');
  return new PortolanError('ERR_SETTING', 'mistake', `${file} is not a valid workloads file:${text}`, {
    hint: 'Correct the named places. `docs/reference/workloads-file.md` describes each field.',
  });
}
