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
  it('brings the kind managed, whose entries are labelled by whoever publishes them', () => {
    const kinds = plugin.contributes.sources.map(({ kind, claimsFrom }) => ({ kind, claimsFrom }));
    expect(kinds).to.deep.equal([{ kind: 'managed', claimsFrom: 'publisher' }]);
  });

  it('leads to nothing outside, so that anybody who manages sources may make one', () => {
    expect(managedSource.reaches?.({})).to.deep.equal({ files: [], urls: [] });
  });
});
