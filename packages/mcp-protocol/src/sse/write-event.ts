/** Headers of every event stream: nothing on the way may hold it back, keep it or change it. */
export const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

/** A line that clients pass over; it keeps idle connections open. */
export const COMMENT = ': keep-alive\n\n';

/** End of a line of an event stream (WHATWG HTML, section 9.2.6). */
export const LINE_END = /\r\n|[\r\n]/;

export interface OutgoingEvent {
  /** Left out: `message`. Named, because some clients pass over events without a name. */
  readonly event?: string;
  /** One event for each line break; each line gets its own `data:`. */
  readonly data: string;
  readonly id?: string;
}

/** An event as it goes over the wire. */
export function writeEvent({ event = 'message', data, id }: OutgoingEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  const dataLines = data
    .split(LINE_END)
    .map((line) => `data: ${line}\n`)
    .join('');
  return `event: ${event}\n${idLine}${dataLines}\n`;
}

/** An event that holds nothing but its id, so that a client can resume from the very start. */
export function writeEmptyEvent(id: string): string {
  return `id: ${id}\ndata: \n\n`;
}
