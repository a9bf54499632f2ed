import { type RunConfig, isJsonObject, memberOf, parseVolume, readJson } from '@portolan/run-spec';

const REFUSED = /\bEROFS\b|read-only file system/i;
/**
 * Matches the error of a recursive `mkdir` of Node.js below a read-only folder: it says that the folder does not
 * exist, and hides the cause. `/tmp` is writable.
 */
const HIDDEN = /\bENOENT: no such file or directory, mkdir '(\/(?!tmp\/|proc\/|dev\/)[^'\n]{1,200})'/;
/** Patterns for the path in an error message. Node.js and Python quote the path; Go puts a colon after it. */
const PLACES = [/['"](\/[^'"\n]{1,200})['"]/, /(?:^|\s)(\/[^\s:'"]{1,200}): read-only file system/i];
/** Maximum length of a message that is searched. A longer message is not an error text. */
const MAX_ERROR_LENGTH = 64 * 1024;

export function saysReadOnly(text: string): boolean {
  return REFUSED.test(text);
}

/** Returns whether an output line names a write that a read-only file system refused, or Node.js' form of it. */
export function namesRefusedWrite(line: string): boolean {
  return saysReadOnly(line) || HIDDEN.test(line);
}

/** Returns whether a line may have another cause, because its folder is in a mount that the server can write. */
export function mayBeMissing(line: string, { volumes }: Pick<RunConfig, 'volumes'>): boolean {
  const place = saysReadOnly(line) ? undefined : HIDDEN.exec(line)?.[1];
  return place !== undefined && mountOf(place, volumes, false) !== undefined;
}

/**
 * Returns the error text of a message which says that a read-only file system refused a write. Returns
 * undefined for other messages, such as a document that only mentions such an error.
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

export function explainRefusedWrite(text: string, { volumes }: Pick<RunConfig, 'volumes'>): string {
  const place = PLACES.map((pattern) => pattern.exec(text)?.[1]).find((match) => match !== undefined);
  const mount = place === undefined ? undefined : mountOf(place, volumes, true);
  if (mount !== undefined) {
    return `The server may not write ${place}: ${mount} is mounted read-only. Mount it without :ro if it may.`;
  }
  const what = place === undefined ? 'to its root folder' : place;
  return `The server may not write ${what}: its root is read-only. Mount a folder for its data, such as -v ./data:/data, and configure the server to use it; see docs/guides/run/volumes.md.`;
}

function mountOf(place: string, volumes: readonly string[], isReadOnly: boolean): string | undefined {
  const paths = { workingDirectory: '/', home: '/' };
  return volumes
    .map((text, index) => parseVolume(text, `volumes[${index}]`, paths))
    .find(
      ({ container, readOnly }) =>
        readOnly === isReadOnly && `${place}/`.startsWith(`${container.replace(/\/$/, '')}/`),
    )?.container;
}

/** Returns all strings in a value, down to the depth at which MCP errors contain text. */
function textsIn(value: unknown, depth = 4): readonly string[] {
  if (typeof value === 'string') return [value];
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((member: unknown) => textsIn(member, depth - 1));
}
