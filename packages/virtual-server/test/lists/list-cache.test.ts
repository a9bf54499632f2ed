import { expect } from 'chai';
import { setImmediate as turn } from 'node:timers/promises';
import { ListCache, type ListRequest } from '../../src/lists/list-cache.ts';
import { listKindOf, type ListKind } from '../../src/lists/list-kind.ts';
import type { MemberList } from '../../src/lists/read-list.ts';

// SAFETY: the table has this list.
const TOOLS = listKindOf('tools/list') as ListKind;

function listOf(...names: readonly string[]): MemberList {
  const items = names.map((name) => ({ id: name, text: `{"name":"${name}"}`, weight: 3 }));
  return { items, ttlMs: undefined, isPrivate: false, finding: undefined };
}

interface Cache {
  readonly cache: ListCache;
  readonly changes: string[];
  readonly failures: unknown[];
  readonly pass: (ms: number) => void;
}

function openCache(): Cache {
  const changes: string[] = [];
  const failures: unknown[] = [];
  let nowMs = 0;
  const cache = new ListCache({
    nowMs: () => nowMs,
    changed: (_kind, view) => void changes.push(view),
    failed: (error) => void failures.push(error),
  });
  return {
    cache,
    changes,
    failures,
    pass: (ms) => {
      nowMs += ms;
    },
  };
}

function request(read: () => Promise<MemberList>, view = 'all', isWatched = true): ListRequest {
  return { kind: TOOLS, view, read, isWatched };
}

describe('known lists of a member', () => {
  it('ListCache › asks once for callers at the same time, and again only after a change', async () => {
    const { cache, changes } = openCache();
    let reads = 0;
    const read = (): Promise<MemberList> => Promise.resolve(listOf('a', `b${(reads += 1)}`));
    const [first, second] = await Promise.all([cache.get(request(read)), cache.get(request(read))]);
    expect(first?.list).to.equal(second?.list);
    await cache.get(request(read));
    expect(reads).to.equal(1);
    cache.invalidate('notifications/tools/list_changed');
    const later = await cache.get(request(read));
    expect(later.list?.items.map(({ id }) => id)).to.deep.equal(['a', 'b2']);
    expect(changes, 'the first list, and its change').to.deep.equal(['all', 'all']);
  });

  it('ListCache › keeps the same list, without a change, when the member lists the same again', async () => {
    const { cache, changes } = openCache();
    const read = (): Promise<MemberList> => Promise.resolve(listOf('a'));
    const { list } = await cache.get(request(read));
    cache.invalidate('notifications/tools/list_changed');
    expect((await cache.get(request(read))).list).to.equal(list);
    expect(changes, 'the first list').to.deep.equal(['all']);
  });

  it('ListCache › keeps the last list when the member responds with an error', async () => {
    const { cache, failures } = openCache();
    const { list } = await cache.get(request(() => Promise.resolve(listOf('a'))));
    cache.invalidate('notifications/tools/list_changed');
    const given = await cache.get(request(() => Promise.reject(new Error('429'))));
    expect(given).to.deep.equal({ list, isLate: true });
    expect(failures).to.have.length(1);
  });

  it('ListCache › separates views, and invalidates one of them alone', async () => {
    const { cache } = openCache();
    let reads = 0;
    const read = (): Promise<MemberList> => Promise.resolve(listOf(`t${(reads += 1)}`));
    await cache.get(request(read, 'anna'));
    await cache.get(request(read, 'ben'));
    cache.invalidate('notifications/tools/list_changed', 'anna');
    await cache.get(request(read, 'ben'));
    expect(reads).to.equal(2);
    await cache.get(request(read, 'anna'));
    expect(reads).to.equal(3);
  });

  it('ListCache › asks an unwatched member again after a minute, or after its own time', async () => {
    const { cache, pass } = openCache();
    let reads = 0;
    const read = (): Promise<MemberList> => {
      reads += 1;
      return Promise.resolve({ ...listOf('a'), ttlMs: reads === 1 ? undefined : 5000 });
    };
    await cache.get(request(read, 'all', false));
    pass(59_000);
    await cache.get(request(read, 'all', false));
    expect(reads).to.equal(1);
    pass(2000);
    await cache.get(request(read, 'all', false));
    expect(reads).to.equal(2);
  });

  it('ListCache › stores a response that came too late, and tells of the change', async () => {
    const { cache, changes } = openCache();
    await cache.get(request(() => Promise.resolve(listOf('a'))));
    cache.invalidate('notifications/tools/list_changed');
    const late = Promise.withResolvers<MemberList>();
    const given = await cache.get(request(() => late.promise));
    expect(given.isLate).to.equal(true);
    expect(given.list?.items[0]?.id).to.equal('a');
    expect(changes).to.deep.equal(['all']);
    late.resolve(listOf('b'));
    await turn();
    expect(changes).to.deep.equal(['all', 'all']);
    expect(cache.peek(TOOLS, 'all')?.items[0]?.id).to.equal('b');
  }).timeout(10_000);
});
