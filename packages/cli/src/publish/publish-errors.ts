import { PortolanError, type PortolanErrorDetails } from '@portolan/plugin-api';

/** The file to publish cannot be read, or is neither an entry nor a catalogue. */
export function entryFileInvalid(
  file: string,
  problem: string,
  details: PortolanErrorDetails,
): PortolanError {
  return new PortolanError('ERR_ENTRY_FILE', 'mistake', `${file} cannot be published: ${problem}`, details);
}

/** Entries break rules that can be checked without the server; all problems are listed, with their places. */
export function entriesInvalid(summary: string, problems: readonly string[]): PortolanError {
  return new PortolanError('ERR_NAMED_FILE', 'mistake', [summary, ...problems].join('\n'), {
    hint: 'correct them; of a catalogue, --skip-invalid publishes the other entries',
  });
}

/** The server did not take every entry of a catalogue. */
export function entriesRefused(refused: number, all: number): PortolanError {
  return new PortolanError('ERR_SERVER_REFUSED', 'refused', `${refused} of ${all} entries were not taken`, {
    hint: 'the reasons stand above; those that were published stay',
  });
}

/** The server has refused; message and hint are its own. */
export function serverRefused(message: string, hint: string | undefined): PortolanError {
  return new PortolanError('ERR_SERVER_REFUSED', 'refused', message, hint === undefined ? {} : { hint });
}
