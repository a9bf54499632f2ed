import { findHiddenText } from '@portolan/entry-format';
import { h, type VNode } from 'preact';
import { shortened } from '../../responses/json-value.ts';
import { visibleText } from './visible-text.ts';

const SHOWN_MATCHES = 20;
const SHOWN_POINTER = 200;

/** Renders a warning with the places of the hidden text in a document; null without hidden text. */
export function hiddenTextNote(document: unknown): VNode | null {
  const matches = findHiddenText(document);
  if (matches.length === 0) return null;
  const more = matches.length - SHOWN_MATCHES;
  return h(
    'div',
    { class: 'note warn', role: 'note', id: 'hidden-text' },
    h('p', null, h('strong', null, 'Hidden text: '), 'a model reads it, and a person does not see it.'),
    h(
      'ul',
      { dir: 'ltr' },
      matches
        .slice(0, SHOWN_MATCHES)
        .map(({ pointer, description }) =>
          h('li', null, h('code', null, visibleText(shortened(pointer, SHOWN_POINTER))), ': ', description),
        ),
      more > 0 ? h('li', null, `and ${more} more`) : null,
    ),
  );
}
