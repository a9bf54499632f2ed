import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a sync that exceeded its time limit, or that the stopping process aborted. */
export function syncAborted(source: string): PortolanError {
  return new PortolanError(
    'ERR_SYNC_ABORTED',
    'unavailable',
    `The sync of source "${source}" was stopped before it was complete.`,
    { hint: 'Wait for the next interval, which starts it again. The last valid data stays.' },
  );
}

/**
 * Creates the error for a source that yields more entries than one sync may stage, such as an endless one.
 */
export function entriesTooLarge(maxBytes: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TOO_LARGE',
    'unavailable',
    `The source has more than ${maxBytes} bytes of entries, which is the maximum.`,
    { hint: 'Reduce the entries with `filter`, or split the source. The last valid entries stay.' },
  );
}

/** Creates the error for a cursor of a source that cannot be stored. */
export function cursorUnusable(source: string, actual: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONTRACT',
    'fault',
    `The source "${source}" returned ${actual} as its cursor; expected a string of at most 65536 characters.`,
    { hint: 'Report this fault to the author of the plugin.' },
  );
}

/** Creates the error for a revision of a source that cannot be stored. */
export function revisionUnusable(source: string, actual: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONTRACT',
    'fault',
    `The source "${source}" returned ${actual} as its revision; expected a string of at most 200 characters.`,
    { hint: 'Report this fault to the author of the plugin.' },
  );
}

/** Creates the error for a scope of a source that cannot be stored, or that only some entries have. */
export function scopeUnusable(source: string, actual: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONTRACT',
    'fault',
    `The source "${source}" returned ${actual}; expected scopes of at most 500 characters, for all entries or for none.`,
    {
      hint: 'Report this fault to the author of the plugin.',
    },
  );
}

/** Creates the error for a source that needs a scratch folder on a server without one. */
export function scratchUnavailable(): PortolanError {
  return new PortolanError(
    'ERR_SCRATCH_UNAVAILABLE',
    'mistake',
    'The server has no scratch folder for sources.',
    {
      hint: 'Set `scratch.directory` in the configuration.',
    },
  );
}

/** Creates the error for a scratch folder that cannot be created or emptied. */
export function scratchUnusable(source: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SCRATCH_UNUSABLE',
    'fault',
    `The scratch folder of the source "${source}" cannot be used.`,
    {
      hint: 'Read the reason in the log. Check that the user of the Portolan process can write to `scratch.directory`, and that the disk has space.',
      cause,
    },
  );
}

/** Creates the error for a scratch folder that another process on this machine holds. */
export function scratchBusy(source: string): PortolanError {
  return new PortolanError(
    'ERR_STORE_BUSY',
    'busy',
    `Another process still uses the scratch folder of the source "${source}".`,
    { hint: 'Wait for the retry. A process that hangs keeps the folder until it ends.' },
  );
}
