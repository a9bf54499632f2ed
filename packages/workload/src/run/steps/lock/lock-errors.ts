import { PortolanError } from '@portolan/plugin-api';
import { quote } from '@portolan/run-spec';

/** Creates the error for a run of another package, version or image than the lock file names. */
export function sourceNotLocked(
  name: string,
  { file, locked, requested }: { readonly file: string; readonly locked: string; readonly requested: string },
): PortolanError {
  return new PortolanError(
    'ERR_DRIFT_REFUSED',
    'mistake',
    `"${name}" does not start: its lock file ${quote(file)} names ${locked}, and ${quote(requested)} was requested.`,
    {
      hint: `Run what the lock file names, or lock another version with \`portolan update ${quote(name)}\`.`,
    },
  );
}
