import { isPortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { backOff, pause, retryAfterMs } from '../src/retry.ts';
import { faultOf } from './fault-of.ts';
import { openSource } from './open-source.ts';
import { readEntries } from './read-entries.ts';
import { row, startStubRegistry, type StubRegistry } from './stub-registry.ts';

const NOW = new Date('2026-11-22T12:00:00Z');

describe('retries', () => {
  let stub: StubRegistry;

  beforeEach(async () => {
    stub = await startStubRegistry();
    stub.rows = ['a', 'b', 'c'].map((name) => row(`dev.acme/${name}`, '1.0.0'));
  });
  afterEach(() => stub.close());

  /** Fails the first so many requests. */
  function fail(times: number, status: number, headers: Record<string, string> = {}): void {
    let left = times;
    stub.instead = (_request, response) => {
      if (left === 0) return false;
      left -= 1;
      response.writeHead(status, headers).end('{}');
      return true;
    };
  }

  for (const status of [408, 425, 429, 500, 502, 503, 504]) {
    it(`continues after status ${status}, with growing delays`, async () => {
      fail(2, status);
      const { source, waits } = openSource({ types: ['server'], endpoint: stub.url });
      expect(await readEntries(source)).to.have.lengthOf(5);
      expect(waits).to.deep.equal([375, 750]);
    });
  }

  it('continues after a broken connection and a timeout (reference 842)', async () => {
    let turn = 0;
    stub.instead = (request) => {
      turn += 1;
      if (turn === 1) request.socket.destroy();
      return turn <= 2;
    };
    const { source } = openSource({ types: ['server'], endpoint: stub.url, timeout: '200ms' });
    expect(await readEntries(source)).to.have.lengthOf(5);
    expect(stub.requests).to.have.lengthOf(5);
  });

  it('honours Retry-After in seconds and as a date', async () => {
    fail(1, 503, { 'retry-after': '7' });
    const inSeconds = openSource({ types: ['server'], endpoint: stub.url });
    await readEntries(inSeconds.source);
    expect(inSeconds.waits).to.deep.equal([7000]);
    fail(1, 429, { 'retry-after': 'Sun, 22 Nov 2026 12:00:30 GMT' });
    const untilDate = openSource({ types: ['server'], endpoint: stub.url }, { clock: () => NOW });
    await readEntries(untilDate.source);
    expect(untilDate.waits).to.deep.equal([30_000]);
  });

  it('does not retry permanent failures', async () => {
    fail(1, 403);
    const { source, waits } = openSource({ types: ['server'], endpoint: stub.url });
    expect((await faultOf(() => readEntries(source))).code).to.equal('ERR_SOURCE_STATUS');
    expect(waits).to.deep.equal([]);
  });

  it('stops at the maximum number of retries', async () => {
    fail(100, 503);
    const { source } = openSource({ types: ['server'], endpoint: stub.url, retries: 3 });
    await faultOf(() => readEntries(source));
    expect(stub.requests).to.have.lengthOf(4);
  });

  it('parses Retry-After, and ignores an invalid value', () => {
    const asked = (header: string | null): number | undefined => retryAfterMs(header, NOW);
    expect(asked('0')).to.equal(0);
    expect(asked(' 12 ')).to.equal(12_000);
    expect(asked('Sun, 22 Nov 2026 11:59:00 GMT'), 'a date that is over').to.equal(0);
    for (const none of [null, '', 'soon', '-1', '1.5', '12345678901', 'Sun, 99 Foo 2026'])
      expect(asked(none), String(none)).to.equal(undefined);
  });

  it('parses all three date formats as GMT, in any time zone', () => {
    const before = process.env['TZ'];
    try {
      for (const zone of ['UTC', 'America/New_York', 'Asia/Tokyo']) {
        process.env['TZ'] = zone;
        for (const date of [
          'Sun, 22 Nov 2026 12:00:30 GMT',
          'Sunday, 22-Nov-26 12:00:30 GMT',
          'Sun Nov 22 12:00:30 2026',
        ])
          expect(retryAfterMs(date, NOW), `${date} in ${zone}`).to.equal(30_000);
      }
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });

  it('increases delays up to a minute, with jitter', () => {
    const waits = Array.from({ length: 12 }, (_, attempt) => backOff(attempt, () => 0.999));
    expect(waits.every((ms, at) => ms >= (waits[at - 1] ?? 0) && ms <= 60_000)).to.equal(true);
    expect(backOff(3, () => 0)).to.equal(2000);
    expect(backOff(1000, () => 0)).to.equal(30_000);
  });

  it('ends a delay when the sync is aborted', async () => {
    const stop = new AbortController();
    const waiting = pause(60_000, stop.signal).then(
      () => 'over',
      (error: unknown) => error,
    );
    const reason = new Error('stop');
    stop.abort(reason);
    expect(await waiting).to.equal(reason);
    const fault = await pause(0, stop.signal).catch((error: unknown) => error);
    expect(isPortolanError(fault)).to.equal(false);
  });
});
