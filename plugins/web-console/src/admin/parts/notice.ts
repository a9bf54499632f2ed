import { type VNode, h } from 'preact';
import type { View } from '../../layout/view.ts';

/**
 * Notices about completed actions. The page shows only these texts, so a crafted URL cannot inject another
 * text.
 */
const NOTICES: Readonly<Record<string, string>> = {
  'source-made': 'The source is made. Its first sync has begun.',
  'source-changed': 'The source is changed.',
  'source-removed': 'The source is removed, with its entries.',
  'sync-due': 'The source is read as soon as can be. Load this page again to see how it went.',
  'registry-made': 'The registry is made.',
  'registry-changed': 'The registry is changed.',
  'registry-removed': 'The registry is removed. Its sources and their entries are still there.',
  published: 'The version is published.',
  'status-changed': 'The status is changed.',
  'claims-changed': 'The claims are changed, for all versions.',
  'version-removed': 'The version is removed for good.',
};

export function notice({ request }: Pick<View, 'request'>): VNode | undefined {
  const done = request.query.get('done') ?? '';
  const text = Object.hasOwn(NOTICES, done) ? NOTICES[done] : undefined;
  return text === undefined ? undefined : h('p', { class: 'note', role: 'status' }, text);
}
