/**
 * Returns whether a Content-Type names an event stream: that media type alone, with
 * or without parameters. Of several values, two programs could believe different
 * ones, so a list of values is none.
 */
export function isEventStreamType(contentType: string | undefined): boolean {
  return /^[ \t]*text\/event-stream[ \t]*(?:;[^,]*)?$/i.test(contentType ?? '');
}
