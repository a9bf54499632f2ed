import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { ENTRY_TYPES } from '../src/responses/entry.ts';
import { EntryIndexes } from '../src/responses/entry-index.ts';
import { ListedApi } from './support/listed-api.ts';

const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `buoy-${index}`);

describe('EntryIndexes', () => {
  const countOf = async (indexes: EntryIndexes, api: ListedApi): Promise<number> => {
    const found = await indexes.of(api, 'main', 'server').find('server');
    if ('refused' in found) throw new Error('refused');
    return found.entries.length;
  };

  it('reads a list once while its tag is valid', async () => {
    const [api, indexes] = [new ListedApi(names(600)), new EntryIndexes()];
    expect(await countOf(indexes, api)).to.equal(600);
    const { length } = api.asked;
    expect(await countOf(indexes, api)).to.equal(600);
    expect(api.asked.length - length).to.equal(1);
    api.names = names(601);
    api.tag = 'W/"2"';
    expect(await countOf(indexes, api)).to.equal(601);
  });

  it("shows a reader only lists with the reader's own tag", async () => {
    const [all, some, indexes] = [new ListedApi(names(5)), new ListedApi(names(2)), new EntryIndexes()];
    some.tag = 'W/"some"';
    expect(await countOf(indexes, all)).to.equal(5);
    expect(await countOf(indexes, some)).to.equal(2);
    expect(await countOf(indexes, all)).to.equal(5);
  });

  it('caches no list without a tag, and none that changed while it was read', async () => {
    const [api, indexes] = [new ListedApi(names(3)), new EntryIndexes()];
    api.tag = undefined;
    await countOf(indexes, api);
    api.names = names(4);
    expect(await countOf(indexes, api)).to.equal(4);
    api.tag = 'W/"before"';
    let answers = 0;
    api.before = async () => {
      answers += 1;
      if (answers === 2) api.tag = 'W/"after"';
    };
    await countOf(indexes, api);
    api.before = () => Promise.resolve();
    api.tag = 'W/"before"';
    api.names = names(7);
    expect(await countOf(indexes, api)).to.equal(7);
  });

  it('reads a list once for concurrent requests', async () => {
    const [api, indexes] = [new ListedApi(names(300)), new EntryIndexes()];
    const counts = await Promise.all(Array.from({ length: 5 }, async () => await countOf(indexes, api)));
    expect(counts).to.deep.equal([300, 300, 300, 300, 300]);
    expect(api.asked.filter(({ query }) => Object(query).limit !== '1')).to.have.length(3);
  });

  it('returns a refusal, and requests again afterwards', async () => {
    const [api, indexes] = [new ListedApi([]), new EntryIndexes()];
    expect(await indexes.of(api, 'other', 'server').find('server')).to.have.nested.property(
      'refused.status',
      404,
    );
    expect(await indexes.of(api, 'other', 'server').find('server')).to.have.nested.property(
      'refused.status',
      404,
    );
  });

  it('returns a list within the timeout or undefined, and has it for the next request', async () => {
    const [api, indexes] = [new ListedApi(names(300)), new EntryIndexes()];
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    api.before = () => held;
    expect(await indexes.of(api, 'main', 'server').findSoon('server', 1)).to.equal(undefined);
    release();
    expect(await countOf(indexes, api)).to.equal(300);
  });

  it('returns the beginning of a long list at once, and continues to read it', async () => {
    const [api, indexes] = [new ListedApi(names(600)), new EntryIndexes()];
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    api.before = async ({ query }) => {
      if (new URLSearchParams(query).has('cursor')) await held;
    };
    const begun = await indexes.of(api, 'main', 'server').findSoon('server', 60_000);
    expect(begun).to.have.property('first').that.has.lengthOf(100);
    release();
    expect(await countOf(indexes, api)).to.equal(600);
    const soon = await indexes.of(api, 'main', 'server').findSoon('server', 60_000);
    expect(soon).to.have.property('entries').that.has.lengthOf(600);
  });

  const typesAsked = (api: ListedApi): readonly (string | undefined)[] =>
    api.asked.splice(0).map(({ path }) => path.split('/').at(-1));
  const countsOf = async (indexes: EntryIndexes, api: ListedApi): Promise<readonly number[]> => {
    const lists = indexes.of(api, 'main', 'server');
    const found = await Promise.all(ENTRY_TYPES.map((type) => lists.find(type)));
    return found.map((list) => ('refused' in list ? -1 : list.entries.length));
  };

  it('requests only one type of an unchanged registry', async () => {
    const [api, indexes] = [new ListedApi(names(3)), new EntryIndexes()];
    expect(await countsOf(indexes, api)).to.deep.equal([3, 0, 0]);
    await eventually(() =>
      expect(api.asked.filter(({ path }) => path.endsWith('/servers'))).to.have.length(4),
    );
    typesAsked(api);
    expect(await countsOf(indexes, api)).to.deep.equal([3, 0, 0]);
    expect(typesAsked(api)).to.deep.equal(['servers']);
    // Whichever it is asked about.
    await indexes.of(api, 'main', 'skill').find('server');
    expect(typesAsked(api)).to.deep.equal(['skills']);
    [api.names, api.tag] = [names(4), 'W/"2"'];
    expect(await countsOf(indexes, api)).to.deep.equal([4, 0, 0]);
    expect(typesAsked(api)).to.include.members(['servers', 'skills', 'plugins']);
  });

  it('shows no reader a list that changed while another visitor read it', async () => {
    const [theirs, mine, indexes] = [
      new ListedApi(names(300)),
      new ListedApi(names(200)),
      new EntryIndexes(),
    ];
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    theirs.before = async ({ query }) => {
      if (new URLSearchParams(query).get('limit') !== '100') return;
      await held;
      theirs.tag = 'W/"changed"'; // once both have asked for it
    };
    const [first, whole] = [
      indexes.of(theirs, 'main', 'server').findSoon('server', 60_000),
      indexes.of(theirs, 'main', 'server').find('server'),
    ];
    await eventually(() => expect(theirs.asked.length).to.be.above(1));
    const [myFirst, myWhole] = [
      indexes.of(mine, 'main', 'server').findSoon('server', 60_000),
      indexes.of(mine, 'main', 'server').find('server'),
    ];
    await eventually(() => expect(mine.asked).to.have.length(2));
    release();
    expect(await first)
      .to.have.property('first')
      .that.has.lengthOf(100);
    expect(await whole)
      .to.have.property('entries')
      .that.has.lengthOf(300);
    expect(await myFirst).to.equal(undefined);
    expect(await myWhole)
      .to.have.property('entries')
      .that.has.lengthOf(200);
  });

  it('requests no list that arrived complete with its tag', async () => {
    const [api, indexes] = [new ListedApi(names(1)), new EntryIndexes()];
    expect(await countsOf(indexes, api)).to.deep.equal([1, 0, 0]);
    // The last one is asked to learn what belongs together.
    await eventually(() => expect(api.asked).to.have.length(4));
    expect(typesAsked(api)).to.deep.equal(['servers', 'skills', 'plugins', 'servers']);
    [api.names, api.tag] = [names(2), 'W/"2"'];
    expect(await countsOf(indexes, api)).to.deep.equal([2, 0, 0]);
  });

  it('does not combine lists that were requested while the registry changed', async () => {
    const [api, indexes] = [new ListedApi(names(3)), new EntryIndexes()];
    api.before = async ({ path }) => {
      if (path.endsWith('/plugins')) api.tag = 'W/"2"';
    };
    await countsOf(indexes, api);
    await eventually(() =>
      expect(api.asked.filter(({ path }) => path.endsWith('/servers'))).to.have.length(4),
    );
    api.before = () => Promise.resolve();
    for (const tag of ['W/"1"', 'W/"2"']) {
      api.tag = tag;
      typesAsked(api);
      await countsOf(indexes, api);
      expect(typesAsked(api), tag).to.include.members(['skills', 'plugins']);
    }
  });

  it('evicts the least recently used lists above the maximum size', async function () {
    // A hundred thousand entries, with a pause after each hundred.
    this.timeout(300_000);
    const indexes = new EntryIndexes();
    const apis = Array.from({ length: 4 }, (_, index) => {
      const api = new ListedApi(names(25_000));
      api.tag = `W/"${index}"`;
      return api;
    });
    for (const api of apis) await countOf(indexes, api);
    const [first, , , last] = apis;
    const before = [first?.asked.length ?? 0, last?.asked.length ?? 0];
    for (const api of [last, first]) if (api !== undefined) await countOf(indexes, api);
    expect((last?.asked.length ?? 0) - (before[1] ?? 0)).to.equal(1);
    expect((first?.asked.length ?? 0) - (before[0] ?? 0)).to.be.above(10);
  });
});
