import { expect } from 'chai';
import { HttpFault, type HttpFaultReason } from '@portolan/mcp-client';
import { MemberOutcomes } from '../../src/index.ts';
import type { MemberOutcome } from '../../src/options.ts';
import { fakeMember } from '../support/fake-member.ts';
import { VirtualServers } from '../support/virtual-servers.ts';

const OUTCOMES: Readonly<Record<HttpFaultReason, MemberOutcome>> = {
  unauthorized: 'unauthenticated',
  credentials: 'unauthenticated',
  unreachable: 'failed',
  unavailable: 'failed',
  interrupted: 'failed',
  forbidden: 'responded',
  'rate-limited': 'responded',
  rejected: 'responded',
  busy: 'responded',
  'session-lost': 'responded',
  'invalid-response': 'responded',
};

describe('outcomes of an HTTP member', () => {
  const servers = new VirtualServers();
  afterEach(() => servers.close());

  for (const [reason, outcome] of Object.entries(OUTCOMES)) {
    it(`MemberOutcomes › counts a request that ended with ${reason} as ${outcome}`, () => {
      const outcomes = new MemberOutcomes();
      const heard: MemberOutcome[] = [];
      outcomes.listen((one) => heard.push(one));
      // SAFETY: the keys of the table are reasons.
      outcomes.settled(new HttpFault(reason as HttpFaultReason, 'it failed'));
      outcomes.settled('responded');
      expect(heard).to.deep.equal([outcome, 'responded']);
    });
  }

  it('MemberOutcomes › calls no listener that has ended', () => {
    const outcomes = new MemberOutcomes();
    const heard: MemberOutcome[] = [];
    outcomes.listen((one) => heard.push(one))();
    outcomes.settled('responded');
    expect(heard).to.deep.equal([]);
  });

  it('replaceMembers › leaves no listener of a member whose settings changed', async () => {
    let listeners = 0;
    const onOutcome = (): (() => void) => {
      listeners += 1;
      return () => (listeners -= 1);
    };
    const source = fakeMember('a', {}, { onOutcome });
    const { server } = await servers.open([source]);
    for (const prefix of ['b', 'c', 'd']) await server.replaceMembers([{ ...source, settings: { prefix } }]);
    expect(listeners).to.equal(1);
    await server.close();
    expect(listeners).to.equal(0);
  });
});
