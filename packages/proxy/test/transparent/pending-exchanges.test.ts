import type { ClientExchange } from '@portolan/plugin-api';
import { expect } from 'chai';
import { PendingExchanges } from '../../src/transparent/pending-exchanges.ts';

// Nothing looks into them here.
const exchange = (name: string) => ({ sessionId: name }) as ClientExchange;

describe('PendingExchanges', () => {
  it('gives each exchange once, by session and id, and takes no id twice while it waits', () => {
    const pending = new PendingExchanges();
    expect(pending.add('a', 'n1', exchange('one'))).to.equal(true);
    expect(pending.add('a', 'n1', exchange('two'))).to.equal(false);
    expect(pending.add('b', 'n1', exchange('three'))).to.equal(true);
    expect(pending.take('a', 's1')).to.equal(undefined);
    expect(pending.take('a', 'n1')?.sessionId).to.equal('one');
    expect(pending.take('a', 'n1')).to.equal(undefined);
    expect(pending.add('a', 'n1', exchange('four'))).to.equal(true);
    expect(pending.take('b', 'n1')?.sessionId).to.equal('three');
  });

  it('tells a session nothing more of which it had to forget something', () => {
    const pending = new PendingExchanges();
    pending.add('a', 'n1', exchange('list'));
    for (let id = 0; id < 10_000; id += 1) pending.add('b', `n${id}`, exchange('flood'));
    expect(pending.take('a', 'n1')).to.equal(undefined);
    pending.add('a', 'n1', exchange('ping'));
    expect(pending.take('a', 'n1')).to.equal(undefined);
    expect(pending.take('b', 'n9999')?.sessionId).to.equal('flood');
  });
});
