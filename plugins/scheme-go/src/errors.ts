import { PortolanError } from '@portolan/plugin-api';

/** A settings file of Go is there and cannot be read. */
export function settingsUnreadable(file: string, cause: unknown): PortolanError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError('ERR_INDEX_SETTINGS', 'fault', `Cannot read Go's settings ${file}: ${why}.`, {
    hint: 'Make the file readable, or name another with GOENV.',
    cause,
  });
}

/** There is no folder to build. */
export function folderMissing(named: string, folder: string): PortolanError {
  return new PortolanError(
    'ERR_PACKAGE_FOLDER',
    'mistake',
    `There is no folder ${folder}, which go://${named} names.`,
    { hint: 'Paths are read from the working directory: go://./cmd/server.' },
  );
}

/** A folder belongs to no Go module. */
export function moduleMissing(folder: string): PortolanError {
  return new PortolanError(
    'ERR_PACKAGE_FOLDER',
    'mistake',
    `${folder} is in no Go module: no folder above it has a go.mod.`,
    { hint: 'Run `go mod init` in the root folder of the project.' },
  );
}

/** A version can be looked up at a proxy only. */
export function versionUnknown(name: string): PortolanError {
  return new PortolanError(
    'ERR_PACKAGE_INDEX',
    'unavailable',
    `No proxy of GOPROXY tells the versions of ${name}.`,
    { hint: 'Name an exact version, which needs no look-up: go://example.org/acme/tool@v1.2.0.' },
  );
}
