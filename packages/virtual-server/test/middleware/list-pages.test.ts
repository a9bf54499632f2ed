import { expect } from 'chai';
import fc from 'fast-check';
import type { ListPosition } from '../../src/middleware/list-marks.ts';
import { pageOf } from '../../src/middleware/list-pages.ts';
import type { RenderedItem } from '../../src/middleware/rendered-list.ts';

function itemsOf(counts: Readonly<Record<string, number>>, text = '{}'): readonly RenderedItem[] {
  return Object.entries(counts).flatMap(([member, count]) =>
    Array.from({ length: count }, (_, at) => ({
      member,
      own: `t${at}`,
      name: `${member}_t${at}`,
      text,
      value: {},
    })),
  );
}

function walk(before: readonly RenderedItem[], after: readonly RenderedItem[]): readonly string[] {
  const names: string[] = [];
  let position: ListPosition | undefined;
  let items = before;
  do {
    const page = pageOf(items, position);
    names.push(...page.items.map(({ name }) => name));
    position = page.next;
    items = after;
  } while (position !== undefined);
  return names;
}

describe('pages of lists', () => {
  it('pageOf › shows each item once, with full pages, when members have any sizes', () => {
    const sizes = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(1500));
    fc.assert(
      fc.property(sizes, (counts) => {
        const items = itemsOf(counts);
        expect(walk(items, items)).to.deep.equal(items.map(({ name }) => name));
        const first = pageOf(items, undefined);
        expect(first.items.length).to.equal(Math.min(1000, items.length));
      }),
    );
  });

  it('pageOf › goes on with what was not shown when members are removed and added', () => {
    const before = itemsOf({ a: 800, b: 400, c: 10 });
    const after = itemsOf({ x: 3, b: 400, c: 10 });
    const names = walk(before, after);
    expect(new Set(names).size).to.equal(names.length);
    for (const { name } of itemsOf({ b: 400, c: 10, x: 3 })) expect(names).to.include(name);
  });

  it('pageOf › goes on when the last item shown is gone', () => {
    const before = itemsOf({ a: 1200 });
    const after = before.filter(({ own }) => own !== 't999');
    expect(walk(before, after).filter((name) => name === 'a_t1000' || name === 'a_t1001')).to.not.be.empty;
  });

  it('pageOf › ends a page before it is too large, but never gives an empty one', () => {
    const large = itemsOf({ a: 3 }, 'x'.repeat(3 * 1024 * 1024));
    expect(pageOf(large, undefined).items).to.have.length(1);
    expect(walk(large, large)).to.have.length(3);
  });
});
