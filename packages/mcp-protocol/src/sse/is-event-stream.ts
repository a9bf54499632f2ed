/**
 * Returns whether a Content-Type is that of an event stream. Ignores parameters. Rejects a list of values,
 * because two programs could choose different ones.
 */
export function isEventStreamType(contentType: string | undefined): boolean {
  return /^[ \t]*text\/event-stream[ \t]*(?:;[^,]*)?$/i.test(contentType ?? '');
}
