import type { DefinitionFault } from '@portolan/lock';
import { PortolanError, type PortolanErrorDetails } from '@portolan/plugin-api';
import { printable } from '../terminal/printable.ts';

/** Creates the error for an unreadable file, or one that is neither an entry nor a catalogue. */
export function entryFileInvalid(
  file: string,
  problem: string,
  details: PortolanErrorDetails,
): PortolanError {
  return new PortolanError('ERR_ENTRY_FILE', 'mistake', `${file} cannot be published: ${problem}`, details);
}

/**
 * Creates the error for entries that violate rules. It lists all problems that are known without the server,
 * with their places.
 */
export function entriesInvalid(summary: string, problems: readonly string[]): PortolanError {
  return new PortolanError('ERR_NAMED_FILE', 'mistake', [summary, ...problems].join('\n'), {
    hint: 'correct the entries; for a catalogue, --skip-invalid publishes the valid ones',
  });
}

/** Maximum number of faults that a message names. */
const MAX_NAMED_FAULTS = 20;

/** Creates the error for a workload with definitions that cannot be published. */
export function definitionsUnpublishable(
  workload: string,
  faults: readonly DefinitionFault[],
): PortolanError {
  const lines = faults
    .slice(0, MAX_NAMED_FAULTS)
    .map(({ kind, name, fault }) => `  ${kind} ${JSON.stringify(printable(name))}: ${fault}`);
  const more = faults.length - lines.length;
  const message = `the definitions of "${workload}" cannot be published; expected definitions that all clients read the same way`;
  return new PortolanError(
    'ERR_DEFINITIONS_UNREADABLE',
    'unavailable',
    [message, ...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n'),
    { hint: 'correct them in the server; `portolan mcp tools NAME --format json` shows its tools' },
  );
}

/** Creates the error for a catalogue of which the server refused entries. */
export function entriesRefused(refused: number, all: number): PortolanError {
  return new PortolanError('ERR_SERVER_REFUSED', 'refused', `${refused} of ${all} entries were refused`, {
    hint: 'see the reasons above; published entries stay published',
  });
}

/** Creates the error for a refusal of the server, with its own message and hint. */
export function serverRefused(message: string, hint: string | undefined): PortolanError {
  return new PortolanError('ERR_SERVER_REFUSED', 'refused', message, hint === undefined ? {} : { hint });
}
