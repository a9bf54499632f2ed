import type { DefinitionFault } from '@portolan/lock';
import { PortolanError } from '@portolan/plugin-api';
import { quote } from '@portolan/run-spec';

/** Creates the error for a command about the lock of a workload that has none. */
export function notLocked(name: string, file: string): PortolanError {
  return new PortolanError('ERR_NOT_LOCKED', 'mistake', `"${name}" is not in the lock file ${file}.`, {
    hint: `Lock it first with \`portolan lock ${quote(name)}\`.`,
  });
}

/** Creates the error for a named tool, prompt or template that a lock does not have. */
export function lockItemUnknown(name: string, item: string): PortolanError {
  return new PortolanError(
    'ERR_NOT_LOCKED',
    'mistake',
    `"${name}" has no approved tool, prompt or template ${JSON.stringify(item)}.`,
    { hint: `See what is held with \`portolan lock diff ${quote(name)}\`.` },
  );
}

/** Creates the error for a lock that another command removed while the user decided. */
export function lockChanged(name: string, file: string): PortolanError {
  return new PortolanError(
    'ERR_WORKLOAD_CHANGED',
    'conflict',
    `The lock of "${name}" was removed from ${file} while the command ran; nothing was changed.`,
    { hint: `Run \`portolan lock ${quote(name)}\`, which shows everything as new.` },
  );
}

/** Creates the error for a server whose response to `initialize` has no digest. */
export function serverUnlockable(name: string, faults: readonly DefinitionFault[]): PortolanError {
  const [first] = faults.filter(({ kind }) => kind === 'capabilities' || kind === 'instructions');
  const why = first === undefined ? 'its response is missing' : `its ${first.kind}: ${first.fault}`;
  return new PortolanError(
    'ERR_DEFINITIONS_UNREADABLE',
    'unavailable',
    `"${name}" cannot be locked: ${why}.`,
    {
      hint: 'Report the fault to the author of the server.',
    },
  );
}
