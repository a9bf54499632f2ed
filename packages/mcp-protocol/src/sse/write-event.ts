/** Headers that prevent buffering, caching and transformation by intermediaries. */
export const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

/** Comment that keeps idle connections open. */
export const COMMENT = ': keep-alive\n\n';

/** Line end of an event stream (WHATWG HTML, section 9.2.6). */
export const LINE_END = /\r\n|[\r\n]/;

export interface OutgoingEvent {
  /** Default: `message`, written out because some clients ignore events without a name. */
  readonly event?: string;
  readonly data: string;
  readonly id?: string;
}

export function writeEvent({ event = 'message', data, id }: OutgoingEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  const dataLines = data
    .split(LINE_END)
    .map((line) => `data: ${line}\n`)
    .join('');
  return `event: ${event}\n${idLine}${dataLines}\n`;
}

/** Returns an event with only an id, from which a client can resume the stream at its start. */
export function writeEmptyEvent(id: string): string {
  return `id: ${id}\ndata: \n\n`;
}
