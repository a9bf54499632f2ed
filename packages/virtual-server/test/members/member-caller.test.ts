import type { MessageSender } from '@portolan/plugin-api';
import { expect } from 'chai';
import { callerAt, identifyingHeaders } from '../../src/members/member-caller.ts';

function senderWith(headers: Readonly<Record<string, string>>, owner?: string): MessageSender {
  const request = {
    method: 'POST',
    path: '/mcp',
    query: '',
    headers,
    remoteAddress: '127.0.0.1',
    receivedAt: new Date(),
    caller: undefined,
    program: undefined,
  };
  return {
    owner,
    exchange: { request, caller: undefined, era: undefined, sessionId: undefined, isBatch: false },
  };
}

describe('member caller', () => {
  const team = identifyingHeaders({ passHeaders: ['X-Team'] });
  const ownerOf = (headers: Readonly<Record<string, string>>, owner?: string): string | undefined =>
    callerAt(team, senderWith(headers, owner))?.owner;

  it('callerAt › tells anonymous callers apart when they pass different headers', () => {
    expect(ownerOf({ 'x-team': 'red' })).to.equal(ownerOf({ 'x-team': 'red', 'x-other': 'any' }));
    expect(ownerOf({ 'x-team': 'red' })).not.to.equal(ownerOf({ 'x-team': 'blue' }));
    expect(ownerOf({})).to.equal(undefined);
  });

  it('callerAt › tells owners apart when they pass equal headers', () => {
    expect(ownerOf({ 'x-team': 'red' }, 'ada')).not.to.equal(ownerOf({ 'x-team': 'red' }, 'bob'));
    expect(ownerOf({}, 'ada')).to.equal('ada');
  });

  it('identifyingHeaders › leaves out headers when they only identify the request', () => {
    expect(identifyingHeaders({ passHeaders: ['X-Request-Id', 'traceparent', 'X-Team'] })).to.deep.equal([
      'x-team',
    ]);
    expect(identifyingHeaders({})).to.deep.equal([]);
  });
});
