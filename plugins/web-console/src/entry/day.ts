import { h, type VNode } from 'preact';

/** The day of an instant, as people write it; the text itself where it is no instant. */
export function day(instant: string): VNode {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return h('span', null, instant);
  const text = at.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return h('time', { datetime: at.toISOString() }, text);
}
