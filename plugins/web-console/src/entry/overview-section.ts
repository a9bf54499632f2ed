import { h, type VNode } from 'preact';
import { mapOf, textOf } from '../responses/json-value.ts';
import type { ShownEntry } from './shown-entry.ts';
import { section } from '../layout/parts-of-pages.ts';
import { renderMarkdown } from './markdown.ts';

export async function overviewSection({ entry }: ShownEntry): Promise<VNode | null> {
  const { extension, document } = entry;
  const { readme } = mapOf(extension['metadata']);
  const text = textOf(extension['overview']) ?? textOf(readme);
  const compatibility = textOf(document['compatibility']);
  if (text === undefined && compatibility === undefined) return null;
  return section(
    'overview',
    'Overview',
    text === undefined
      ? null
      : h('div', {
          class: 'prose',
          dir: 'auto',
          dangerouslySetInnerHTML: { __html: await renderMarkdown(text) },
        }),
    compatibility === undefined ? null : h('p', { dir: 'auto' }, compatibility),
  );
}
