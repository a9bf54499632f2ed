import { h, type VNode } from 'preact';

/** Created once, because creating a format is slower than rendering the rest of a page. */
const FORMAT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** Renders the date of a timestamp; the text itself if it is invalid. */
export function day(instant: string): VNode {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return h('span', null, instant);
  return h('time', { datetime: at.toISOString() }, FORMAT.format(at));
}
