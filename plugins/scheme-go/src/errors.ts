import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an unreadable settings file of Go. */
export function settingsUnreadable(file: string, cause: unknown): PortolanError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError('ERR_INDEX_SETTINGS', 'fault', `Cannot read Go's settings ${file}: ${why}.`, {
    hint: 'Make the file readable, or set GOENV to another file.',
    cause,
  });
}

/** Creates the error for a missing folder. */
export function folderMissing(named: string, folder: string): PortolanError {
  return new PortolanError(
    'ERR_PACKAGE_FOLDER',
    'mistake',
    `The folder ${folder} of go://${named} does not exist.`,
    { hint: 'Check the path. It is relative to the working directory: go://./cmd/server.' },
  );
}

/** Creates the error for a folder outside of any Go module. */
export function moduleMissing(folder: string): PortolanError {
  return new PortolanError(
    'ERR_PACKAGE_FOLDER',
    'mistake',
    `${folder} is in no Go module: no folder above it has a go.mod.`,
    { hint: 'Run `go mod init` in the root folder of the project.' },
  );
}

/** Creates the error for a version that only a proxy could resolve. */
export function versionUnknown(name: string): PortolanError {
  return new PortolanError(
    'ERR_PACKAGE_INDEX',
    'unavailable',
    `No proxy of GOPROXY lists the versions of ${name}.`,
    { hint: 'Use an exact version, which needs no look-up: go://example.org/acme/tool@v1.2.0.' },
  );
}
