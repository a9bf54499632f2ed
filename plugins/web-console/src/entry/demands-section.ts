import { h, type VNode } from 'preact';
import { shortened } from '../responses/json-value.ts';
import type { ShownEntry } from './shown-entry.ts';
import { section } from '../layout/parts-of-pages.ts';

/** Maximum number of lines of one list. */
const MAX_LINES = 50;
const MAX_LINE_LENGTH = 300;

/** Renders what `portolan run` asks for and refuses; null if there is nothing. */
export async function demandsSection({ entry, view }: ShownEntry): Promise<VNode | null> {
  const describe = view.parts.hostContext.describeDemands;
  if (entry.type !== 'server' || describe === undefined) return null;
  const { grants, refusals } = await describe(entry.document);
  if (grants.length === 0 && refusals.length === 0) return null;
  const run = h('code', null, 'portolan run');
  return section(
    'demands',
    'Consent',
    list(
      h('p', null, run, ' asks you before it allows:'),
      grants.map(({ line }) => line),
    ),
    list(
      h('p', null, run, ' refuses these settings:'),
      refusals.map(({ setting, found, because }) => `${setting}: ${found}; ${because}`),
    ),
  );
}

function list(title: VNode, lines: readonly string[]): readonly VNode[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, MAX_LINES).map((line) => h('li', null, shortened(line, MAX_LINE_LENGTH)));
  const more = lines.length - shown.length;
  return [title, h('ul', { dir: 'ltr' }, shown, more === 0 ? null : h('li', null, `and ${more} more`))];
}
