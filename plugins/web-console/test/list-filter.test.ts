import { expect } from 'chai';
import fc from 'fast-check';
import type { Summary } from '../src/responses/read-list.ts';
import { FACET_NAMES, filterEntries, filterQuery, readFilter } from '../src/consumer/list-filter.ts';

const entry = (name: string, more: Partial<Summary> = {}): Summary => ({
  type: 'server',
  name,
  title: name,
  description: '',
  version: '1.0.0',
  status: 'active',
  tier: undefined,
  tags: [],
  transports: ['stdio'],
  ways: ['npm'],
  searched: `${name} ${more.description ?? ''}`.toLowerCase(),
  ...more,
});

const entries = [
  entry('acme/tides', { tags: ['sea'], description: 'Tables of harbours' }),
  entry('acme/harbours', { tags: ['sea', 'map'], ways: ['remote'], transports: ['sse'] }),
  entry('acme/notes', { status: 'deprecated' }),
];

describe('list filters', () => {
  const turn = (): Promise<void> => Promise.resolve();
  const cases: readonly { readonly address: string; readonly found: readonly string[] }[] = [
    { address: '', found: ['acme/tides', 'acme/harbours', 'acme/notes'] },
    { address: 'q=HARBOURS', found: ['acme/harbours', 'acme/tides'] },
    { address: 'q=tables+harbours', found: ['acme/tides'] },
    { address: 'tag=sea', found: ['acme/tides', 'acme/harbours'] },
    { address: 'tag=sea&tag=map', found: ['acme/harbours'] },
    { address: 'transport=stdio&status=active', found: ['acme/tides'] },
    { address: 'way=remote&q=tides', found: [] },
    { address: 'status=deprecated', found: ['acme/notes'] },
    { address: 'tag=&page=-1&kind=nonsense', found: ['acme/tides', 'acme/harbours', 'acme/notes'] },
  ];
  for (const { address, found } of cases) {
    it(`finds ${found.length} by ?${address}`, async () => {
      const filter = readFilter(new URLSearchParams(address));
      expect((await filterEntries(entries, filter, turn)).matches.map(({ name }) => name)).to.deep.equal(
        found,
      );
    });
  }

  it('count the matches of each further filter', async () => {
    const { facets } = await filterEntries(entries, readFilter(new URLSearchParams('tag=sea')), turn);
    expect(facets.tag).to.deep.equal([
      { text: 'sea', count: 2, isChosen: true },
      { text: 'map', count: 1, isChosen: false },
    ]);
    for (const facet of FACET_NAMES) {
      for (const { text, count, isChosen } of facets[facet]) {
        const more = readFilter(new URLSearchParams(isChosen ? 'tag=sea' : `tag=sea&${facet}=${text}`));
        expect((await filterEntries(entries, more, turn)).matches, `${facet} ${text}`).to.have.length(count);
      }
    }
  });

  it('round-trip through the query string', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.constantFrom('q', 'tag', 'transport', 'way', 'status', 'source', 'kind', 'page'), text),
        ),
        (pairs) => {
          const filter = readFilter(new URLSearchParams(pairs));
          expect(readFilter(new URLSearchParams(filterQuery(filter, { page: filter.page })))).to.deep.equal(
            filter,
          );
        },
      ),
    );
  });
});
