import { h, type VNode } from 'preact';

/** Made once: to make one takes longer than all else of a page. */
const FORMAT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** The day of an instant, as people write it; the text itself where it is no instant. */
export function day(instant: string): VNode {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return h('span', null, instant);
  return h('time', { datetime: at.toISOString() }, FORMAT.format(at));
}
