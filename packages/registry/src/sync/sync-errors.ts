import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a sync that exceeded its time limit, or that the stopping process aborted. */
export function syncAborted(source: string): PortolanError {
  return new PortolanError(
    'ERR_SYNC_ABORTED',
    'unavailable',
    `The sync of source "${source}" was stopped before its end.`,
    { hint: 'It starts again with the next interval; the last good data is kept.' },
  );
}

/**
 * Creates the error for a source that yields more entries than one sync may stage, such as an endless one.
 */
export function entriesTooLarge(mostBytes: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_TOO_LARGE',
    'unavailable',
    `The source has more than ${mostBytes} bytes of entries.`,
    { hint: 'Take less of it with `filter`, or in several sources. The last good entries stay.' },
  );
}

/** Creates the error for a cursor of a source that cannot be stored. */
export function cursorUnusable(source: string, found: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONTRACT',
    'fault',
    `The source "${source}" yielded ${found} as its cursor.`,
    { hint: 'A cursor is a text of at most 65536 characters. This is a fault of the plugin.' },
  );
}

/** Creates the error for a revision of a source that cannot be stored. */
export function revisionUnusable(source: string, found: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONTRACT',
    'fault',
    `The source "${source}" yielded ${found} as its revision.`,
    { hint: 'A revision is a text of at most 200 characters. This is a fault of the plugin.' },
  );
}

/** Creates the error for a scope of a source that cannot be stored, or that only some entries have. */
export function scopeUnusable(source: string, found: string): PortolanError {
  return new PortolanError('ERR_SOURCE_CONTRACT', 'fault', `The source "${source}" yielded ${found}.`, {
    hint: 'A scope is a text of at most 500 characters; when one entry has one, all have. This is a fault of the plugin.',
  });
}

/** Creates the error for a source that needs a scratch folder on a server without one. */
export function scratchUnavailable(): PortolanError {
  return new PortolanError(
    'ERR_SCRATCH_UNAVAILABLE',
    'mistake',
    'There is no folder for what sources keep.',
    {
      hint: 'Set scratch.directory in the configuration.',
    },
  );
}

/** Creates the error for a scratch folder that cannot be created or emptied. */
export function scratchUnusable(source: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SCRATCH_UNUSABLE',
    'fault',
    `The folder that the source "${source}" keeps its data in cannot be used.`,
    {
      hint: 'The log says why. See that the user that runs Portolan can write to scratch.directory, and that there is room.',
      cause,
    },
  );
}

/** Creates the error for a scratch folder that another process on this machine holds. */
export function scratchBusy(source: string): PortolanError {
  return new PortolanError(
    'ERR_STORE_BUSY',
    'busy',
    `Another process still has the folder that the source "${source}" keeps its data in.`,
    { hint: 'It is tried again. A process that hangs keeps it until it ends.' },
  );
}
