import type { ApiResponse, ApiRequest } from '@portolan/plugin-api';
import { expect } from 'chai';
import { readSourceNames, readSourceOf } from '../src/responses/read-sources.ts';

const notes = { type: 'server', name: 'com.acme/notes' } as const;

/** An API that answers these paths, and 403 to all others. */
function view(answers: Readonly<Record<string, object>>) {
  const asked: string[] = [];
  const api = async ({ path }: ApiRequest): Promise<ApiResponse> => {
    asked.push(path);
    const json = answers[path];
    return { status: json === undefined ? 403 : 200, headers: {}, json: json ?? { error: 'No.' } };
  };
  return { api, asked };
}

const sources = {
  sources: [
    { name: 'other', type: 'file', syncStatus: { phase: 'failed' } },
    {
      name: 'catalogue',
      type: 'git',
      syncStatus: {
        phase: 'complete',
        lastGoodTime: '2026-02-03T10:15:00Z',
        revision: '4fae',
        message: 'Fine',
      },
    },
  ],
};
const entries = {
  entries: [
    { entryType: 'SKILL', name: 'com.acme/notes', sourceName: 'other' },
    { entryType: 'SERVER', name: 'com.acme/notes', sourceName: 'catalogue' },
  ],
};

describe('readSourceOf', () => {
  it('returns the source with its sync and commit, with two requests for a single source', async () => {
    const { api, asked } = view({ '/v1/sources': sources });
    expect(await readSourceOf({ api }, 'main', ['catalogue'], notes)).to.deep.equal({
      name: 'catalogue',
      kind: 'git',
      phase: 'complete',
      lastGoodTime: '2026-02-03T10:15:00Z',
      revision: '4fae',
      message: 'Fine',
    });
    expect(asked).to.deep.equal(['/v1/sources']);
  });

  it('finds one of several sources by the entries of the registry', async () => {
    const { api } = view({ '/v1/sources': sources, '/v1/registries/main/entries': entries });
    const found = await readSourceOf({ api }, 'main', ['other', 'catalogue'], notes);
    expect(found?.name).to.equal('catalogue');
  });

  it('returns only a name without permission for sources, and undefined without permission for registries', async () => {
    const { api } = view({});
    expect(await readSourceOf({ api }, 'main', ['catalogue'], notes)).to.deep.equal({
      name: 'catalogue',
      kind: undefined,
      phase: undefined,
      lastGoodTime: undefined,
      revision: undefined,
      message: undefined,
    });
    expect(await readSourceOf({ api }, 'main', ['a', 'b'], notes)).to.equal(undefined);
    expect(await readSourceNames({ api }, 'main')).to.deep.equal([]);
  });
});
