import { expect } from 'chai';
import fc from 'fast-check';
import { checkToolFilter } from '../src/tool-filter.ts';
import { ToolNames } from '../src/tool-names.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor');
const config = fc.record({
  tools: fc.uniqueArray(name, { maxLength: 3 }),
  override: fc
    .uniqueArray(
      fc.tuple(name, fc.record({ name, description: fc.constantFrom('x', 'y') }, { requiredKeys: [] })),
      { selector: ([real]) => real, maxLength: 4 },
    )
    .map((entries) => Object.fromEntries(entries)),
});

describe('ToolNames', () => {
  it('returns only the tool that a client sees under a name', () => {
    fc.assert(
      fc.property(config, name, (given, real) => {
        fc.pre(checkToolFilter(given).length === 0);
        const names = new ToolNames(given);
        const seen = names.visible(real);
        if (seen !== undefined && names.rival(real) === undefined)
          expect(names.real(seen.name)).to.equal(real);
        if (seen === undefined) expect(reached(names)).to.not.include(real);
      }),
    );
  });

  it('returns no tool for a hidden name', () => {
    fc.assert(
      fc.property(config, name, (given, visible) => {
        const real = new ToolNames(given).real(visible);
        if (given.tools.length > 0 && !given.tools.includes(visible)) expect(real).to.equal(undefined);
        const renamed = Object.hasOwn(given.override, visible) ? given.override[visible]?.name : undefined;
        if (renamed !== undefined && renamed !== visible) expect(real).to.not.equal(visible);
      }),
    );
  });

  it('lets two tools swap names', () => {
    const names = new ToolNames({ tools: [], override: { a: { name: 'b' }, b: { name: 'a' } } });
    expect([names.real('a'), names.real('b'), names.visible('a')?.name]).to.deep.equal(['b', 'a', 'b']);
    expect([names.rival('a'), names.rival('b')]).to.deep.equal([undefined, undefined]);
  });
});

/** Whatever tools some name leads to. */
function reached(names: ToolNames): readonly (string | undefined)[] {
  return ['a', 'b', 'c', 'd', '__proto__', 'constructor'].map((visible) => names.real(visible));
}
