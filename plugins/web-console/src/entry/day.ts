import { h, type VNode } from 'preact';

/** Creating a format is slower than rendering the rest of a page. */
const FORMAT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** Shows an invalid timestamp as it is. */
export function day(instant: string): VNode {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return h('span', null, instant);
  return h('time', { datetime: at.toISOString() }, FORMAT.format(at));
}
