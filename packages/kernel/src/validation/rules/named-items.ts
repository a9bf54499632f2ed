import { isPlainMap } from '../../config/plain-data.ts';
import { describeValue } from '../../faults/describe-value.ts';
import type { Report } from './rule.ts';

export type Item = readonly [item: Readonly<Record<string, unknown>>, index: number];

/** Returns the maps in a list; the schema reports other items. */
export function itemsOf(list: unknown): readonly Item[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown, index) => (isPlainMap(item) ? [[item, index] as const] : []));
}

export function checkUnique(items: readonly Item[], list: string, report: Report): void {
  const first = new Map<string, number>();
  for (const [{ name }, index] of items) {
    if (typeof name !== 'string') continue;
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, index);
    else
      report([list, index, 'name'], `${describeValue(name)}, as in ${list}[${earlier}]`, 'a name of its own');
  }
}
