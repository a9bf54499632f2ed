import { h, type VNode } from 'preact';
import { shortened, textsOf } from '../responses/json-value.ts';
import type { ShownEntry } from './shown-entry.ts';
import { badge, section } from '../layout/parts-of-pages.ts';
import { definitionText, parameterLine } from './definitions/definition-item.ts';
import { EFFECT_WORDS, type Tool, toolsOf } from './tools.ts';
import { visibleText } from './definitions/visible-text.ts';

const SHOWN_TOOLS = 200;
const SHOWN_PARAMETERS = 40;

/** Renders the tools of a server, or the tools that a skill may use. */
export function toolsSection({ entry }: ShownEntry): VNode | null {
  const tools = toolsOf(entry);
  const allowed = textsOf(entry.document['allowedTools']);
  if (tools.length + allowed.length === 0) return null;
  return section(
    'tools',
    entry.type === 'server' ? 'Tools' : 'Tools that it uses',
    tools.length === 0 ? null : h('ul', { class: 'tools' }, tools.slice(0, SHOWN_TOOLS).map(toolItem)),
    more(tools.length - SHOWN_TOOLS),
    allowed.length === 0
      ? null
      : h(
          'ul',
          { class: 'tools' },
          allowed
            .slice(0, SHOWN_TOOLS)
            .map((name) => h('li', null, h('code', { dir: 'ltr' }, visibleText(shortened(name, 200))))),
        ),
    more(allowed.length - SHOWN_TOOLS),
  );
}

function more(count: number): VNode | null {
  return count > 0 ? h('p', { class: 'quiet' }, `and ${count.toLocaleString('en')} more`) : null;
}

function toolItem({ name, description, takes, effect }: Tool): VNode {
  return h(
    'li',
    null,
    h(
      'p',
      null,
      h('code', { dir: 'ltr' }, visibleText(shortened(name, 200))),
      ' ',
      effect === 'reads' ? badge(EFFECT_WORDS.reads, 'good') : null,
      effect === 'destroys' ? badge(EFFECT_WORDS.destroys, 'warn') : null,
    ),
    description === undefined ? null : definitionText(description),
    parameterLine(takes, SHOWN_PARAMETERS),
  );
}
