import { expect } from 'chai';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { PROXY_LIMITS } from '@portolan/proxy';
import { createCounts, ServerLink } from '@portolan/proxy/server-link';
import { MemberPlaces } from '../../src/members/member-places.ts';
import { FakeConnection } from '../support/fake-member.ts';

const NEVER = new AbortController().signal;

function openLink(): Promise<ServerLink> {
  const context = {
    limits: PROXY_LIMITS,
    counts: createCounts(),
    logger: createRecordingLogger(),
    clock: () => new Date(),
    nowMs: () => performance.now(),
  };
  return Promise.resolve(new ServerLink(new FakeConnection({}), context));
}

describe('sessions at a member', () => {
  it('MemberPlaces › ends the session that is idle longest when all are in use', async () => {
    let nowMs = 0;
    const places = new MemberPlaces(2, () => nowMs);
    const first = await places.open(openLink, NEVER);
    nowMs += 1000;
    const second = await places.open(openLink, NEVER);
    nowMs += 5000;
    places.touch(first);
    const third = await places.open(openLink, NEVER);
    expect([first.hasEnded, second.hasEnded, third.hasEnded]).to.deep.equal([false, true, false]);
    expect(places.size).to.equal(2);
    await Promise.all([first.close(), third.close()]);
  });

  it('MemberPlaces › gives a place to a waiting client when a session ends', async () => {
    const places = new MemberPlaces(1, () => 0);
    const first = await places.open(openLink, NEVER);
    const waiting = places.open(openLink, NEVER);
    await first.close();
    const second = await waiting;
    expect(second.hasEnded).to.equal(false);
    await second.close();
  });

  it('MemberPlaces › gives up a waiting client that leaves, and admits the next one', async () => {
    const places = new MemberPlaces(1, () => 0);
    const first = await places.open(openLink, NEVER);
    const leaving = new AbortController();
    const left = places.open(openLink, leaving.signal).catch((error: unknown) => error);
    const waiting = places.open(openLink, NEVER);
    const reason = new Error('the client has left');
    leaving.abort(reason);
    expect(await left).to.equal(reason);
    await first.close();
    await (await waiting).close();
    expect(places.size).to.equal(0);
  });

  it('MemberPlaces › frees the place of a session that could not be opened', async () => {
    const places = new MemberPlaces(1, () => 0);
    const reason = new Error('no process');
    const failed = await places.open(() => Promise.reject(reason), NEVER).catch((error: unknown) => error);
    expect(failed).to.equal(reason);
    const link = await places.open(openLink, NEVER);
    expect(places.size).to.equal(1);
    await link.close();
  });
});
