import { type RunConfig, isJsonObject, memberOf, parseVolume, readJson } from '@portolan/run-spec';

const REFUSED = /\bEROFS\b|read-only file system/i;
/** Node and Python put what they name in quotes, Go before a colon. */
const PLACES = [/['"](\/[^'"\n]{1,200})['"]/, /(?:^|\s)(\/[^\s:'"]{1,200}): read-only file system/i];
/** A longer message is no error that a person would read. */
const MAX_ERROR_LENGTH = 64 * 1024;

/** Whether a text tells of a write that a read-only file system has refused. */
export function saysReadOnly(text: string): boolean {
  return REFUSED.test(text);
}

/**
 * The text of an error in a message of a server, where it tells of a write that
 * was refused; undefined for everything else, such as a document that only
 * mentions one.
 */
export function refusedWriteIn(message: string): string | undefined {
  if (message.length > MAX_ERROR_LENGTH || !saysReadOnly(message)) return undefined;
  const reading = readJson(message);
  if ('fault' in reading || !isJsonObject(reading.value)) return undefined;
  const { error, result } = reading.value;
  const failed = error ?? (memberOf(result, 'isError') === true ? memberOf(result, 'content') : undefined);
  const text = textsIn(failed).join('\n');
  return saysReadOnly(text) ? text : undefined;
}

/** What people are told of a refused write: what may not be written, and where it could be. */
export function explainRefusedWrite(text: string, { volumes }: Pick<RunConfig, 'volumes'>): string {
  const place = PLACES.map((pattern) => pattern.exec(text)?.[1]).find((found) => found !== undefined);
  const mount = place === undefined ? undefined : readOnlyMountOf(place, volumes);
  if (mount !== undefined) {
    return `The server may not write ${place}: ${mount} is mounted read-only. Mount it without :ro if it may.`;
  }
  const what = place === undefined ? 'to its root folder' : place;
  return `The server may not write ${what}: its root is read-only. Mount a folder for what it keeps, -v ./data:/data, and tell it to use that; see "A server that keeps data" in docs/workloads.md.`;
}

function readOnlyMountOf(place: string, volumes: readonly string[]): string | undefined {
  const paths = { workingDirectory: '/', home: '/' };
  return volumes
    .map((text, index) => parseVolume(text, `volumes[${index}]`, paths))
    .find(({ container, readOnly }) => readOnly && `${place}/`.startsWith(`${container.replace(/\/$/, '')}/`))
    ?.container;
}

/** Every text in a value, as deep as errors are. */
function textsIn(value: unknown, depth = 4): readonly string[] {
  if (typeof value === 'string') return [value];
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((member: unknown) => textsIn(member, depth - 1));
}
