import { openFetch } from '@portolan/outbound';
import { expect } from 'chai';
import { accessWith } from '../../src/connection/registry-access.ts';
import { ServerClient } from '../../src/management/server-client.ts';
import { syncAndWait } from '../../src/management/sync-and-wait.ts';
import { StubRegistry } from '../../../../test/support/stub-registry.ts';

const OLD = '2026-01-01T00:00:00Z';
const NEW = '2026-01-02T00:00:00Z';

describe('syncAndWait', () => {
  let stub: StubRegistry;
  let client: ServerClient;
  beforeEach(async () => {
    stub = await StubRegistry.start(() => ({ status: 500 }));
    const [address, access] = [new URL(stub.url), accessWith(undefined)];
    const refusalError = (): Error => new Error('refused');
    client = new ServerClient(
      { openFetch, environment: {}, version: '1' },
      { address, access, timeoutMs: 10_000, refusalError },
    );
  });
  afterEach(async () => {
    await client.close();
    await stub.stop();
  });

  /** What the server says of the source, one answer after the other; the last one again and again. */
  function says(...statuses: readonly (object | undefined)[]): void {
    let asked = 0;
    stub.answers(({ method }) => {
      if (method === 'POST') return { status: 202, body: { status: 'due' } };
      const syncStatus = statuses[Math.min(asked, statuses.length - 1)];
      asked += 1;
      return { status: 200, body: { name: 'partners', syncStatus } };
    });
  }
  let paused = 0;
  const wait = async (): Promise<unknown> => {
    paused = 0;
    const elapsed = (): number => paused;
    const pause = async (ms: number): Promise<void> => void (paused += ms);
    const seen = (): void => undefined;
    return await syncAndWait(client, 'partners', { full: true, maxMs: 5000, seen, elapsed, pause }).catch(
      (error: unknown) => error,
    );
  };
  const methods = (): readonly string[] => stub.seen.map(({ method }) => method);

  it('returns when a sync that began after the request has ended', async () => {
    const done = { phase: 'complete', lastSyncTime: NEW };
    says(
      { phase: 'complete', lastSyncTime: OLD },
      { phase: 'complete', lastSyncTime: OLD },
      { phase: 'syncing', lastSyncTime: OLD },
      done,
    );
    expect(await wait()).to.deep.include({ syncStatus: done });
    expect(methods()).to.deep.equal(['GET', 'POST', 'GET', 'GET', 'GET']);
    expect(stub.seen[1]?.query).to.deep.equal({ full: 'true' });
  });

  it('waits for a running sync before its request', async () => {
    says(
      { phase: 'syncing' },
      { phase: 'complete', lastSyncTime: OLD },
      { phase: 'failed', lastSyncTime: NEW },
    );
    expect(await wait()).to.deep.include({ syncStatus: { phase: 'failed', lastSyncTime: NEW } });
    expect(methods()).to.deep.equal(['GET', 'GET', 'POST', 'GET']);
  });

  it('accepts the first sync of a new source', async () => {
    says(undefined, undefined, { phase: 'complete', lastSyncTime: NEW });
    expect(await wait()).to.have.nested.property('syncStatus.lastSyncTime', NEW);
  });

  it('times out', async () => {
    says({ phase: 'complete', lastSyncTime: OLD });
    expect(await wait()).to.have.property('code', 'ERR_REGISTRY_TIMEOUT');
    expect(paused).to.be.within(3000, 5000);
  });
});
