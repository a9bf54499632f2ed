import type { ApiResponse, ApiRequest } from '@portolan/plugin-api';
import { expect } from 'chai';
import { EntryIndexes } from '../src/responses/entry-index.ts';
import { findListing, type ListingView } from '../src/consumer/find-listing.ts';
import { ListedApi } from './support/listed-api.ts';

const COUNT = 5000;
const LONG = 'harbour-and-tide-'.repeat(40);
const NAMES = Array.from({ length: COUNT }, (_, index) => `${LONG}${index}`);
const isMine = (name: string): boolean => name.endsWith('7');

/** Who manages registries, and asks for this address; each turn that is taken is told. */
function managing(address: string, turn: () => Promise<void>): ListingView {
  const listed = new ListedApi(NAMES);
  const said = (json: unknown): ApiResponse => ({ status: 200, headers: {}, json });
  const entries = NAMES.map((name) => ({
    entryType: 'SERVER',
    name: `com.acme/${name}`,
    sourceName: isMine(name) ? 'mine' : 'theirs',
  }));
  const api = async (request: ApiRequest): Promise<ApiResponse> => {
    if (request.path === '/v1/me') return said({ roles: ['manageRegistries'] });
    if (request.path === '/v1/registries/main') return said({ sources: ['mine', 'theirs'] });
    if (request.path === '/v1/registries/main/entries') return said({ entries, metadata: {} });
    return await listed.api(request);
  };
  const context = { nowMs: () => 0 };
  const request = { query: new URLSearchParams(address), turn, api };
  return { parts: { context }, request, api, visitor: { authorization: 'Bearer t' } };
}

describe('findListing', () => {
  it('counts matches of other types without the filters of this type', async () => {
    const indexes = new EntryIndexes();
    const counts = async (address: string) => {
      const view = managing(address, () => Promise.resolve());
      const listing = await findListing(view, indexes, 'main');
      if ('refused' in listing) throw new Error('refused');
      return [listing.counts.server, listing.counts.skill];
    };
    // The whole list is there from now on.
    expect(await counts('page=2')).to.deep.equal(['5,000', '0']);
    expect(await counts('kind=skills')).to.deep.equal(['5,000', '0']);
    expect(await counts('kind=skills&q=4999&tag=none')).to.deep.equal(['1', '0']);
    expect(await counts('q=4999&tag=none')).to.deep.equal(['0', '0']);
    expect(await counts('kind=skills&source=mine')).to.deep.equal([undefined, '0']);
  });

  for (const narrowed of ['', '&source=mine']) {
    it(`yields to other requests while it searches a long list for ?q=…${narrowed}`, async () => {
      let turns = 0;
      const view = managing(`q=harbour+tide${narrowed}`, async () => void (turns += 1));
      const listing = await findListing(view, new EntryIndexes(), 'main');
      if ('refused' in listing) throw new Error('refused');
      const wanted = narrowed === '' ? NAMES : NAMES.filter(isMine);
      expect(listing.filtered.matches.map(({ name }) => name)).to.deep.equal(
        wanted.map((name) => `com.acme/${name}`),
      );
      expect(turns).to.be.above(3);
    });
  }

  /** What a page shows of a long list that nobody has read, and what the list of servers was asked for it. */
  async function firstOf(
    address: string,
  ): Promise<{ readonly first: string; readonly asked: readonly string[] }> {
    const asked: string[] = [];
    const view = managing(address, () => Promise.resolve());
    const api = async (request: ApiRequest): Promise<ApiResponse> => {
      const query = String(new URLSearchParams(request.query));
      // Those for the tag of the list are left out.
      if (request.path.endsWith('/servers') && !query.endsWith('limit=1')) asked.push(query);
      return await view.api(request);
    };
    const listing = await findListing({ ...view, api }, new EntryIndexes(), 'main');
    if ('refused' in listing) throw new Error('refused');
    expect(listing.isPending, address).to.equal(true);
    return { first: listing.filtered.matches.map(({ name }) => name.slice(-2)).join(' '), asked };
  }

  it('shows the first entries of a long list that is still being read', async () => {
    const { first, asked } = await firstOf('');
    expect(first)
      .to.match(/^-0 -1 -2 /)
      .and.to.have.lengthOf(30 * 3 - 1);
    expect(asked).to.deep.equal(['version=latest&limit=100']);
  });

  it('searches with the API while the list is still being read', async () => {
    const { first, asked } = await firstOf('q=7');
    expect(first).to.match(/^-7 17 27 /);
    expect(asked.at(-1)).to.equal('version=latest&limit=30&search=7');
  });
});
