import { sourceContract } from '@portolan/plugin-testing';
import { expect } from 'chai';
import plugin, { managedSource } from '../src/index.ts';

sourceContract({
  name: 'managed',
  kind: managedSource,
  create: (context) => managedSource.create({}, context),
  entries: [],
});

describe('@portolan/source-managed', () => {
  it('contributes the source kind managed, whose entries get the claims of their publishers', () => {
    const kinds = plugin.contributes.sources.map(({ kind, claimsFrom }) => ({ kind, claimsFrom }));
    expect(kinds).to.deep.equal([{ kind: 'managed', claimsFrom: 'publisher' }]);
  });

  it('reaches no external address, so all source managers may create one', () => {
    expect(managedSource.reaches?.({})).to.deep.equal({ files: [], urls: [] });
  });
});
