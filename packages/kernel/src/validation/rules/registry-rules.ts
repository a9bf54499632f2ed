import { nearest } from '@portolan/plugin-api';
import { describeValue } from '../../faults/describe-value.ts';
import { checkUnique, itemsOf } from './named-items.ts';
import type { Report } from './rule.ts';

/**
 * Requires that names of registries are unique, that each registry lists existing sources once each, and that
 * only public registries have public claims.
 */
export function checkRegistries(config: Readonly<Record<string, unknown>>, report: Report): void {
  const registries = itemsOf(config['registries']);
  checkUnique(registries, 'registries', report);
  const known = new Set(
    itemsOf(config['sources']).flatMap(([{ name }]) => (typeof name === 'string' ? [name] : [])),
  );
  for (const [registry, index] of registries) {
    const named = Array.isArray(registry['sources']) ? registry['sources'] : [];
    const seen = new Set<string>();
    for (const [position, name] of named.entries()) {
      if (typeof name !== 'string') continue;
      const place = ['registries', index, 'sources', position];
      if (!known.has(name)) {
        report(place, describeValue(name), 'the name of a source', nearest(name, [...known]));
      } else if (seen.has(name)) {
        report(place, `${describeValue(name)} a second time`, 'each source once');
      }
      seen.add(name);
    }
    if (Object.hasOwn(registry, 'publicClaims') && registry['public'] !== true) {
      const expected = 'none: they count for readers without a token, so only with "public: true"';
      report(['registries', index, 'publicClaims'], 'claims', expected);
    }
  }
}
