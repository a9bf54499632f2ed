import { readKinds } from '@portolan/kernel/check-config';
import { expect } from 'chai';
import { SHIPPED_FROM, SHIPPED_KINDS } from '../../src/context/shipped-plugins.ts';

describe('SHIPPED_KINDS', () => {
  it('contains all kinds that the packages provide, under their names', async () => {
    const kinds = await readKinds({
      config: { value: {}, directory: import.meta.dirname },
      environment: {},
      shipped: SHIPPED_KINDS,
      shippedFrom: SHIPPED_FROM,
    });
    for (const [list, shipped] of Object.entries(SHIPPED_KINDS)) {
      const table: ReadonlyMap<string, { readonly plugin: string }> = Reflect.get(kinds, list);
      const packages = Object.entries(shipped).map(
        ([kind, brought]: readonly [string, string | { package: string }]) => [
          kind,
          typeof brought === 'string' ? brought : brought.package,
        ],
      );
      expect(
        [...table].map(([kind, { plugin }]) => [kind, plugin]),
        list,
      ).to.have.deep.members(packages);
    }
  });

  it('has the same package rules for a scheme as the kind of the scheme', async () => {
    const { schemes } = await readKinds({
      config: { value: {}, directory: import.meta.dirname },
      environment: {},
      shipped: SHIPPED_KINDS,
      shippedFrom: SHIPPED_FROM,
    });
    expect(
      Object.entries(SHIPPED_KINDS.schemes).map(([name, { packages }]) => [name, packages]),
    ).to.deep.equal([...schemes].map(([name, { kind }]) => [name, kind.packages]));
  });
});
