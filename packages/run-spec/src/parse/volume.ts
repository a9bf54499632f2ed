import path from 'node:path';
import { badVolume } from './parse-errors.ts';

export interface Volume {
  /** Normalized absolute path, or `volume://NAME`. */
  readonly host: string;
  /** Name of the engine volume; undefined for a local path. */
  readonly volume?: string;
  /** Normalized absolute path in the container. */
  readonly container: string;
  readonly readOnly: boolean;
}

/** Directories to resolve relative host paths and `~` against. */
export interface PathContext {
  readonly workingDirectory: string;
  readonly home: string;
  /** Default: this machine's. */
  readonly platform?: NodeJS.Platform;
}

const FORBIDDEN = /[$&;|`\0\n\r]/;
const DRIVE = /^[A-Za-z]:[\\/]/;

const VOLUME_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{1,127}$/;

export function isVolumeName(text: string): boolean {
  return VOLUME_NAME.test(text);
}

/**
 * Parses `host:container[:ro]` (`:rw` is the default), or `volume://NAME:container[:ro]`. A host path may be
 * relative, begin with `~/`, or have a drive letter; it need not exist. Throws ERR_SETTING.
 */
export function parseVolume(text: string, place: string, context: PathContext): Volume {
  if (FORBIDDEN.test(text)) throw badVolume(place, text, 'it holds one of $ & ; | ` or a line break');
  const named = splitAddress(text);
  if (named !== undefined && !isVolumeName(named.host)) {
    throw badVolume(
      place,
      text,
      'a name of a volume has letters, digits, ".", "_" and "-", at least two of them',
    );
  }
  const { host, rest } = named ?? splitHost(text);
  const [container, mode, ...more] = rest ?? [];
  if (container === undefined) throw badVolume(place, text, 'there is no ":" between two paths');
  if (more.length > 0) throw badVolume(place, text, 'it has too many parts');
  if (mode !== undefined && mode !== 'ro' && mode !== 'rw') {
    throw badVolume(place, text, `"${mode}" behind the second ":" is neither ro nor rw`);
  }
  if (host === '') throw badVolume(place, text, 'there is no host path before the ":"');
  return {
    ...(named === undefined ? { host: absoluteHostPath(host, context) } : volumeOf(host)),
    container: cleanContainerPath(container, place, text),
    readOnly: mode === 'ro',
  };
}

const SCHEME = 'volume://';

function volumeOf(name: string): Pick<Volume, 'host' | 'volume'> {
  return { host: `${SCHEME}${name}`, volume: name };
}

/** Splits `volume://NAME:/path`; undefined for other text. */
function splitAddress(text: string): { readonly host: string; readonly rest: readonly string[] } | undefined {
  if (!text.startsWith(SCHEME)) return undefined;
  const [host = '', ...rest] = text.slice(SCHEME.length).split(':');
  return { host, rest };
}

export function formatVolume({ host, container, readOnly }: Volume): string {
  return readOnly ? `${host}:${container}:ro` : `${host}:${container}`;
}

/**
 * Parses `/path` for both sides, `/host:/container`, or `volume://NAME:/container`. Returns undefined for
 * another resource address, which no runtime can mount. Throws ERR_SETTING.
 */
export function parseProfileMount(
  text: string,
  place: string,
  readOnly: boolean,
  context: PathContext,
): Volume | undefined {
  if (FORBIDDEN.test(text)) throw badVolume(place, text, 'it holds one of $ & ; | ` or a line break');
  const named = splitAddress(text);
  if (named !== undefined && isVolumeName(named.host)) {
    const [target = '', ...others] = named.rest;
    if (others.length > 0) throw badVolume(place, text, 'it has too many parts');
    return { ...volumeOf(named.host), container: cleanContainerPath(target, place, text), readOnly };
  }
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text)) {
    const container = text.slice(text.indexOf('://') + 3).split(':');
    if (container.length !== 2) throw badVolume(place, text, 'there is no ":" before a container path');
    cleanContainerPath(container[1] ?? '', place, text);
    return undefined;
  }
  const { host, rest } = splitHost(text);
  if (rest === undefined || rest.length === 0) {
    if (DRIVE.test(host)) throw badVolume(place, text, 'a Windows path is no path in a container');
    return {
      host: absoluteHostPath(host, context),
      container: cleanContainerPath(host, place, text),
      readOnly,
    };
  }
  const [container, ...more] = rest;
  if (container === undefined || more.length > 0) throw badVolume(place, text, 'it has too many parts');
  if (host === '') throw badVolume(place, text, 'there is no host path before the ":"');
  return {
    host: absoluteHostPath(host, context),
    container: cleanContainerPath(container, place, text),
    readOnly,
  };
}

/** Splits at the first colon that is not part of a drive letter. */
function splitHost(text: string): { readonly host: string; readonly rest: readonly string[] | undefined } {
  const start = DRIVE.test(text) ? 2 : 0;
  const colon = text.indexOf(':', start);
  if (colon === -1) return { host: text, rest: undefined };
  return { host: text.slice(0, colon), rest: splitContainer(text.slice(colon + 1)) };
}

/** Splits the container part at colons. Keeps a Windows path in one piece, so that the error can quote it. */
function splitContainer(text: string): readonly string[] {
  if (!DRIVE.test(text)) return text.split(':');
  const [drive, ...rest] = text.split(':');
  return [`${drive}:${rest[0] ?? ''}`, ...rest.slice(1)];
}

function absoluteHostPath(host: string, { workingDirectory, home, platform }: PathContext): string {
  if (DRIVE.test(host)) return path.win32.normalize(host);
  const paths = (platform ?? process.platform) === 'win32' ? path.win32 : path.posix;
  const expanded = host === '~' || host.startsWith('~/') ? paths.join(home, host.slice(1)) : host;
  const absolute = paths.resolve(workingDirectory, expanded);
  return absolute;
}

function cleanContainerPath(container: string, place: string, text: string): string {
  if (DRIVE.test(container) || container.includes('\\')) {
    throw badVolume(place, text, 'a Windows path is no path in a container');
  }
  if (!container.startsWith('/')) throw badVolume(place, text, 'the container path does not start with "/"');
  const clean = path.posix.normalize(container);
  const cut = clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean;
  if (cut === '/') throw badVolume(place, text, 'the root of the container cannot be mounted over');
  return cut;
}
