import { PortolanError } from '@portolan/plugin-api';

/** A source took longer than it may, or the process is stopping. */
export function syncAborted(source: string): PortolanError {
  return new PortolanError(
    'ERR_SYNC_ABORTED',
    'unavailable',
    `The sync of source "${source}" was stopped before its end.`,
    { hint: 'It starts again with the next interval; the last good data is kept.' },
  );
}

/** A source goes on to yield entries beyond what one sync may put aside, as one without end does. */
export function entriesTooLarge(mostBytes: number): PortolanError {
  return new PortolanError(
    'ERR_SYNC_TOO_LARGE',
    'unavailable',
    `The source has more than ${mostBytes} bytes of entries.`,
    { hint: 'Take less of it with `filter`, or in several sources. The last good entries stay.' },
  );
}

/** A source gave something to go on from that cannot be kept. */
export function cursorUnusable(source: string, found: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CURSOR',
    'fault',
    `The source "${source}" yielded ${found} as its cursor.`,
    { hint: 'A cursor is a text of at most 65536 characters. This is a fault of the plugin.' },
  );
}

/** A source called what it has read by something that cannot be kept. */
export function revisionUnusable(source: string, found: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_REVISION',
    'fault',
    `The source "${source}" yielded ${found} as its revision.`,
    { hint: 'A revision is a text of at most 200 characters. This is a fault of the plugin.' },
  );
}

/** A source gave a scope that cannot be kept, or only to some of its entries. */
export function scopeUnusable(source: string, found: string): PortolanError {
  return new PortolanError('ERR_SOURCE_SCOPE', 'fault', `The source "${source}" yielded ${found}.`, {
    hint: 'A scope is a text of at most 500 characters; when one entry has one, all have. This is a fault of the plugin.',
  });
}

/** A source wants a folder, and the server was started without a place for it. */
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

/** The folder of a source cannot be made or emptied. */
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

/** Another process on this machine has the folder of a source. */
export function scratchBusy(source: string): PortolanError {
  return new PortolanError(
    'ERR_SCRATCH_BUSY',
    'busy',
    `Another process still has the folder that the source "${source}" keeps its data in.`,
    { hint: 'It is tried again. A process that hangs keeps it until it ends.' },
  );
}
