import { h, type VNode } from 'preact';
import { shortened, textsOf } from '../answers/json-value.ts';
import type { ShownEntry } from '../consumer/entry-page.ts';
import { badge, foreign, section } from '../layout/parts-of-pages.ts';
import { type Tool, toolsOf } from './tools.ts';

const SHOWN_TOOLS = 200;
const SHOWN_TEXT = 600;

/** What it can do for a model; of a skill, what it may use. */
export function toolsSection({ entry }: ShownEntry): VNode | null {
  const tools = toolsOf(entry.extension).slice(0, SHOWN_TOOLS);
  const allowed = textsOf(entry.document['allowedTools']).slice(0, SHOWN_TOOLS);
  if (tools.length + allowed.length === 0) return null;
  return section(
    'tools',
    entry.type === 'server' ? 'Tools' : 'Tools that it uses',
    tools.length === 0 ? null : h('ul', { class: 'tools' }, tools.map(toolItem)),
    allowed.length === 0
      ? null
      : h(
          'ul',
          { class: 'tools' },
          allowed.map((name) => h('li', null, h('code', { dir: 'ltr' }, name))),
        ),
  );
}

function toolItem({ name, description, takes, effect }: Tool): VNode {
  return h(
    'li',
    null,
    h(
      'p',
      null,
      h('code', { dir: 'ltr' }, shortened(name, 200)),
      ' ',
      effect === 'reads' ? badge('only reads', 'good') : null,
      effect === 'destroys' ? badge('may destroy', 'warn') : null,
    ),
    description === undefined ? null : foreign('p', shortened(description, SHOWN_TEXT), { class: 'quiet' }),
    takes.length === 0
      ? null
      : h(
          'p',
          { class: 'takes' },
          'Takes ',
          takes
            .slice(0, 40)
            .map((one, at) => [
              at === 0 ? '' : ', ',
              h('code', { dir: 'ltr' }, one.isRequired ? one.name : `${one.name}?`),
            ]),
        ),
  );
}
