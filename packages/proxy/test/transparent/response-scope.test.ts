import { parseClientMessage } from '@portolan/mcp-protocol';
import type { ClientExchange } from '@portolan/plugin-api';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { viewOf } from '../../src/policy/message-view.ts';
import { Policy } from '../../src/policy/policy.ts';
import { ResponseScope } from '../../src/transparent/judge/response-scope.ts';
import { LARGE_MESSAGE } from '../../src/request/turn.ts';
import { PendingExchanges } from '../../src/transparent/sessions/pending-exchanges.ts';

const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{}}';
const request = parseClientMessage('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');

describe('ResponseScope', () => {
  // ResponseScope reads no other members.
  const exchange = { sessionId: 's', message: viewOf(request) } as ClientExchange;
  const policy = new Policy([], createRecordingLogger());

  function scopes(isGone: () => boolean): readonly [ResponseScope, ResponseScope] {
    const options = {
      policy,
      unasked: exchange,
      pending: new PendingExchanges({ replays: true }),
      refuseServer: () => undefined,
    };
    return [
      new ResponseScope({ ...options, isGone }, 's'),
      new ResponseScope({ ...options, isGone: () => false }, 's'),
    ];
  }

  it('accepts a repeated response on a resumed stream after the client disconnected', async () => {
    const [asking, resumed] = scopes(() => true);
    if (request.kind === 'request') await asking.ask(request.id, exchange);
    expect(await asking.judge(ANSWER)).to.have.property('text', ANSWER);
    expect(await resumed.judge(ANSWER)).to.have.property('text', ANSWER);
    expect(await resumed.judge(ANSWER)).to.have.property('dropped');
  });

  it('parses a large response and authorizes it in separate turns of the event loop', async () => {
    const [scope] = scopes(() => false);
    if (request.kind === 'request') await scope.ask(request.id, exchange);
    const large = `{"jsonrpc":"2.0","id":1,"result":{"text":"${'x'.repeat(LARGE_MESSAGE)}"}}`;
    const judging = scope.judge(large);
    expect(judging).to.be.an.instanceOf(Promise);
    let others = 0;
    setImmediate(() => (others += 1));
    const again = scope.judge(large);
    expect(await judging).to.have.property('text', large);
    expect(others).to.be.at.most(1);
    expect(await again).to.deep.equal({ dropped: 'no pending request has its id' });
    expect(others).to.equal(1);
  });

  it('accepts a delivered response only once', async () => {
    const [asking, resumed] = scopes(() => false);
    if (request.kind === 'request') await asking.ask(request.id, exchange);
    expect(await asking.judge(ANSWER)).to.have.property('text', ANSWER);
    for (const scope of [asking, resumed]) expect(await scope.judge(ANSWER)).to.have.property('dropped');
  });
});
