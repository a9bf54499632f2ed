import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an unreadable settings file of pip. */
export function settingsUnreadable(file: string, cause: unknown): PortolanError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError('ERR_INDEX_SETTINGS', 'fault', `Cannot read pip's settings ${file}: ${why}.`, {
    hint: 'Make the file readable, or remove it and set PIP_INDEX_URL to the index.',
    cause,
  });
}

/** Creates the error for a response of an index without a list of versions. */
export function answerUnreadable(name: string, index: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_PACKAGE_INDEX',
    'unavailable',
    `${index} did not return the versions of ${name}.`,
    {
      hint: 'Check that the index setting names a simple index (PEP 503 or 691).',
      cause,
    },
  );
}
