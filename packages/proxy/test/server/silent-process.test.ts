import { ownRequest } from '@portolan/mcp-protocol';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { createCounts } from '../../src/request/counts.ts';
import { PROXY_LIMITS } from '../../src/index.ts';
import { ServerLink } from '../../src/server/server-link.ts';
import type { LinkLimits } from '../../src/server/link-options.ts';
import { ScriptedServer } from '../support/scripted-server.ts';

const QUESTION = ownRequest('ping', {});
const CALL = ownRequest('tools/call', {});
/** Health check limits with short intervals. Pings have a long timeout, because the machine may be busy. */
const OFTEN = { intervalMs: 2, pingMs: 5000, retryMs: 2, failures: 3 };

describe('health check of a process', function () {
  this.timeout(20_000);
  const links: ServerLink[] = [];
  afterEach(() => Promise.all(links.splice(0).map((link) => link.close())));

  interface Watched {
    readonly server: ScriptedServer;
    readonly link: ServerLink;
    /** Returns the number of pings that the server received. */
    readonly asked: () => number;
    /** Whether the server responds, and a callback with the number of unanswered pings, from 1. */
    readonly state: { answers: boolean; silent?: (count: number) => void };
  }

  function watch(answers: boolean, health: LinkLimits['health'], limits: Partial<LinkLimits> = {}): Watched {
    const state: Watched['state'] = { answers };
    let silences = 0;
    const server = new ScriptedServer({
      received: ({ id, method }, self) => {
        if (method !== 'ping') return;
        if (state.answers) self.say({ id, error: { code: -32601, message: 'no' } });
        else state.silent?.((silences += 1));
      },
    });
    const link = new ServerLink(server, {
      limits: { ...PROXY_LIMITS, ...limits, health },
      counts: createCounts(),
      logger: createRecordingLogger(),
      clock: () => new Date(),
      nowMs: () => performance.now(),
    });
    links.push(link);
    link.watch(QUESTION);
    return { server, link, state, asked: () => server.sent.filter(({ method }) => method === 'ping').length };
  }

  function call(link: ServerLink): { failure?: string } {
    const outcome: { failure?: string } = {};
    link.request(CALL, {
      answered: () => undefined,
      progressed: () => undefined,
      failed: ({ code }) => {
        outcome.failure = code;
      },
    });
    return outcome;
  }

  it('is sent while the process is idle, and passes with any response', async () => {
    const { link, asked } = watch(true, OFTEN);
    await eventually(() => expect(asked()).to.be.greaterThan(10));
    expect([link.hasEnded, link.waiting]).to.deep.equal([false, 0]);
  });

  it('ends a process that responded before and no longer does, and fails its pending requests', async () => {
    const { link, server, state, asked } = watch(true, { ...OFTEN, pingMs: 1000 });
    await eventually(() => expect(asked()).to.be.greaterThan(2));
    // The call follows the first failed check at once, and must not postpone the others. Polling for the second
    // ping could come too late on a busy machine, after the end of the process.
    let waiting: ReturnType<typeof call> | undefined;
    state.silent = (count) => {
      if (count === 2) waiting = call(link);
    };
    state.answers = false;
    await eventually(() => expect(waiting?.failure).to.equal('ERR_SERVER_EXITED'), { withinMs: 15_000 });
    expect(link.hasEnded).to.equal(true);
    const { length } = server.sent;
    await link.close();
    expect(server.sent).to.have.length(length);
  });

  it('keeps a process that has never responded, which may not know the method', async () => {
    const { link, asked } = watch(false, { ...OFTEN, pingMs: 10 });
    await eventually(() => expect(asked()).to.be.greaterThan(2 * OFTEN.failures));
    expect(link.hasEnded).to.equal(false);
  });

  it('is not sent while the process works, or may work, on a request of a disconnected client', async () => {
    const { link, asked } = watch(true, OFTEN, { requestMs: 30 });
    await eventually(() => expect(asked()).to.be.greaterThan(1));
    const left = call(link);
    const before = asked();
    await eventually(() => expect(left.failure).to.equal('ERR_SERVER_TIMED_OUT'));
    const other = call(link);
    await eventually(() => expect(other.failure).to.equal('ERR_SERVER_TIMED_OUT'));
    // A ping may already have been sent.
    expect(asked()).to.be.at.most(before + 1);
    expect(link.hasEnded).to.equal(false);
  });

  it('is sent while only requests without a time limit are pending', async () => {
    const { link, asked } = watch(true, OFTEN);
    const endless = { ...PROXY_LIMITS, requestMs: Infinity, longestRequestMs: Infinity, cancelledMs: 1 };
    const ended = Promise.withResolvers<void>();
    const receiver = {
      answered: () => undefined,
      progressed: () => undefined,
      failed: () => ended.resolve(),
    };
    const request = link.request(CALL, receiver, endless);
    const before = asked();
    await eventually(() => expect(asked()).to.be.greaterThan(before + 3));
    const method = 'notifications/cancelled';
    const text = `{"jsonrpc":"2.0","method":"${method}","params":{"requestId":0}}`;
    link.cancel(request, { kind: 'notification', text, method, params: undefined });
    await ended.promise;
    const after = asked();
    await eventually(() => expect(asked()).to.be.greaterThan(after + 3));
  });

  it('stops when no session uses the process', async () => {
    const { link, asked, server } = watch(true, OFTEN);
    await eventually(() => expect(asked()).to.be.greaterThan(1));
    link.leave();
    await eventually(() => expect(link.waiting).to.equal(0));
    const { length } = server.sent;
    const other = watch(true, OFTEN);
    await eventually(() => expect(other.asked()).to.be.greaterThan(5));
    expect(server.sent).to.have.length(length);
  });
});
