import type { Entry } from '@portolan/plugin-api';
import { bootTestKernel } from '@portolan/plugin-testing';
import { expect } from 'chai';
import hideTagged from './hide-tagged.ts';

function entryTagged(name: string, metadata: unknown): Entry {
  return {
    type: 'server',
    name,
    version: '1.0.0',
    source: 'catalogue',
    claims: {},
    status: 'active',
    isLatest: true,
    document: { _meta: { 'io.modelcontextprotocol.registry/publisher-provided': metadata } },
  };
}

async function keyFor(hideTags: readonly string[]): Promise<string | undefined> {
  const kernel = await bootTestKernel({ plugins: [{ plugin: hideTagged, options: { hideTags } }] });
  try {
    return kernel.hooks.filterCacheKey(undefined, 'main');
  } finally {
    await kernel.close();
  }
}

describe('hide-tagged', () => {
  const entries = [
    entryTagged('dev.acme/hidden', { 'dev.acme': { image: { tags: ['data', 'internal'] } } }),
    entryTagged('dev.acme/other', { 'dev.acme': { image: { tags: ['data', 'internals'] } } }),
    entryTagged('dev.acme/second', { 'dev.acme': {}, 'org.other': { image: { tags: ['internal'] } } }),
    entryTagged('dev.acme/odd', { 'dev.acme': { image: { tags: 'internal', more: null } } }),
    entryTagged('dev.acme/bare', undefined),
  ];

  async function namesShown(hideTags: readonly string[]): Promise<readonly string[]> {
    const kernel = await bootTestKernel({ plugins: [{ plugin: hideTagged, options: { hideTags } }] });
    try {
      return (await kernel.hooks.filterEntries(entries, undefined, 'main')).map((entry) => entry.name);
    } finally {
      await kernel.close();
    }
  }

  it('hides entries with one of the tags under any metadata key', async () => {
    expect(await namesShown(['internal', 'retired'])).to.deep.equal(['dev.acme/other', 'dev.acme/bare']);
  });

  it('shows all other entries', async () => {
    expect(await namesShown(['retired'])).to.have.lengthOf(entries.length);
  });

  it('lets the server cache pages, separately for each list of tags', async () => {
    expect(await keyFor(['a', 'b'])).to.equal(await keyFor(['b', 'a']));
    expect(await keyFor(['a']))
      .to.be.a('string')
      .and.not.equal(await keyFor(['b']));
  });

  it('rejects a configuration without tags to hide', async () => {
    const fault = await bootTestKernel({ plugins: [{ plugin: hideTagged, options: {} }] }).then(
      () => 'none',
      (error: unknown) => String(error),
    );
    expect(fault).to.include('hideTags');
  });
});
