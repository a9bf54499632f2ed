import { codePointOf, findHiddenText, INVISIBLE } from '@portolan/entry-format';
import { type ComponentChildren, h } from 'preact';

/** Maximum number of marks in one text. */
const MAX_MARKS = 60;
/** Matches the runs of white space that `findHiddenText` reports. */
const RUN = /[\s\u2800]{64,}|(?:[^\S\n]*\n){11,}/u;
const HIDDEN = new RegExp(`(${RUN.source}|${INVISIBLE.source})`, 'v');

/**
 * Renders a text of a publisher. If it has hidden text, each invisible character is shown as its code point, and
 * long white space as its length, so that a reader sees what a model reads.
 */
export function visibleText(text: string, maxMarks = MAX_MARKS): ComponentChildren {
  if (findHiddenText(text).length === 0) return text;
  const parts = text.split(HIDDEN);
  const shown = parts.slice(0, 2 * maxMarks).map((part, at) => (at % 2 === 0 ? part : mark(part)));
  // The rest of the text has no marks, so it must not be shown as if it were free of hidden text.
  const rest = Math.floor((parts.length - shown.length) / 2);
  return rest > 0 ? [...shown, mark(`… ${rest} more hidden parts`)] : shown;
}

function mark(part: string): ComponentChildren {
  const label = RUN.test(part) ? `${part.length} blanks` : part.replaceAll(INVISIBLE, codePointOf);
  return h('span', { class: 'hidden-mark' }, label);
}
