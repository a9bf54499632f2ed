import type { ReadItem, SourceKind } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { ContractCase } from './contract-case.ts';
import { hasScopes, scopesOf, SourcePicture } from './source-picture.ts';
import type { SourceUnderTest } from './source-under-test.ts';
import { readItems, useSource } from './use-source.ts';

const MAX_SCOPE_LENGTH = 500;

/** What entries with a `scope` promise; a source without scopes keeps all of it. */
export function scopeCases<Kind extends SourceKind>(options: SourceUnderTest<Kind>): readonly ContractCase[] {
  const { spoilScope } = options;
  return [
    {
      title: 'gives all of its entries a scope, or none',
      run: () =>
        useSource(options, async (used) => {
          const items = await readItems(used, options);
          if (!hasScopes(items)) return;
          const entries = items.filter((item) => 'document' in item);
          for (const { scope } of entries) {
            expect(scope, 'scope').to.be.a('string').with.length.within(1, MAX_SCOPE_LENGTH);
          }
        }),
    },
    {
      title: 'names every scope, if it has any, that it read to its end, and all there are',
      run: () => useSource(options, async (used) => requireNamed(await readItems(used, options), undefined)),
    },
    ...(spoilScope === undefined
      ? []
      : [
          {
            title: 'does not call a scope read that it could not read, and says why',
            run: () => tellsScopeFault(options, spoilScope),
          },
        ]),
  ];
}

/** `spoiled`: the one that is not to be called complete. */
function requireNamed(items: readonly ReadItem[], spoiled: string | undefined): void {
  if (!hasScopes(items)) return;
  const { complete, all } = scopesOf(items);
  for (const item of items) {
    if (!('document' in item) || item.scope === undefined) continue;
    expect(all?.has(item.scope) ?? true, `"${item.scope}" among all scopes`).to.equal(true);
    if (item.scope !== spoiled) expect([...complete], 'scopes that were read').to.include(item.scope);
  }
  if (all !== undefined) expect([...all], 'all scopes').to.include.members([...complete]);
}

async function tellsScopeFault<Kind extends SourceKind>(
  options: SourceUnderTest<Kind>,
  spoilScope: () => string | Promise<string>,
): Promise<void> {
  await useSource(options, async (used) => {
    const picture = new SourcePicture();
    picture.readInFull(await readItems(used, options));
    const before = picture.entries;
    const spoiled = await spoilScope();
    const items = await readItems(used, options);
    requireNamed(items, spoiled);
    expect([...scopesOf(items).complete], 'scopes that were read').to.not.include(spoiled);
    const said = items.filter((item) => 'skipped' in item && item.scope === spoiled);
    expect(said, 'reasons for the scope that could not be read').to.have.length.above(0);
    picture.readInFull(items);
    const kept = (entries: typeof before) => entries.filter(({ scope }) => scope === spoiled);
    expect(kept(picture.entries), 'what is kept of it').to.deep.equal(kept(before));
    expect(kept(before), 'what it held before').to.have.length.above(0);
  });
}
