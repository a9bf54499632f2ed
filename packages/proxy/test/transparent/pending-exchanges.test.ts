import type { ClientExchange } from '@portolan/plugin-api';
import { expect } from 'chai';
import { PendingExchanges } from '../../src/transparent/sessions/pending-exchanges.ts';

// PendingExchanges does not read the exchanges.
const exchange = (name: string) => ({ sessionId: name }) as ClientExchange;

describe('PendingExchanges', () => {
  it('returns each exchange once, and refuses an id that is pending', () => {
    const pending = new PendingExchanges({ replays: false });
    expect(pending.add('a', 'n1', exchange('one'))).to.equal(true);
    expect(pending.add('a', 'n1', exchange('two'))).to.equal(false);
    expect(pending.add('b', 'n1', exchange('three'))).to.equal(true);
    expect(pending.take('a', 's1')).to.equal(undefined);
    expect(pending.take('a', 'n1')?.sessionId).to.equal('one');
    expect(pending.take('a', 'n1')).to.equal(undefined);
    expect(pending.add('a', 'n1', exchange('four'))).to.equal(true);
    expect(pending.take('b', 'n1')?.sessionId).to.equal('three');
  });

  it('returns nothing for a session after an eviction', () => {
    const pending = new PendingExchanges({ replays: false });
    pending.add('a', 'n1', exchange('list'));
    for (let id = 0; id < 10_000; id += 1) pending.add('b', `n${id}`, exchange('flood'));
    expect(pending.take('a', 'n1')).to.equal(undefined);
    pending.add('a', 'n1', exchange('ping'));
    expect(pending.take('a', 'n1')).to.equal(undefined);
    expect(pending.take('b', 'n9999')?.sessionId).to.equal('flood');
  });

  it('returns nothing for a reused id when responses may be replayed', () => {
    const pending = new PendingExchanges({ replays: true });
    for (const [first, again] of [
      ['n5', 'n5'],
      ['n7', 'n6'],
      ['sa', 'sa'],
    ] as const) {
      const session = `session of ${first}`;
      pending.add(session, first, exchange('a list'));
      expect(pending.take(session, first)?.sessionId, first).to.equal('a list');
      expect(pending.add(session, again, exchange('a call'))).to.equal(true);
      // The response on another stream may belong to the first request.
      expect(pending.take(session, again), again).to.equal(undefined);
    }
    pending.add('other', 'n1', exchange('one'));
    pending.add('other', 'n2', exchange('two'));
    expect(pending.take('other', 'n1')?.sessionId).to.equal('one');
    expect(pending.take('other', 'n2')?.sessionId).to.equal('two');
  });
});
