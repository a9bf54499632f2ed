import type { ClientMessage, MadeRefusal, RequestEnd } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { CallLog, type CallLogOptions } from '../../src/proxy/call-log.ts';
import type { CallRecord } from '../../src/proxy/proxy-line.ts';
import { clientRequest, exchange, requestEnd, requestView } from './client-request.ts';

/** When what is told has happened. */
const NOW = new Date('2026-08-21T09:14:03.119Z');

describe('CallLog', () => {
  let written: CallRecord[];
  beforeEach(() => {
    written = [];
  });
  const open = (options: Partial<CallLogOptions> = {}): CallLog =>
    new CallLog({
      clock: () => new Date(),
      nowMs: () => performance.now(),
      isSelected: () => true,
      tellsBeginnings: false,
      hearsAnswers: true,
      keepsAnswers: false,
      write: (record) => written.push(record),
      ...options,
    });
  const answerTo = ({ id }: { readonly id: string }, error?: object): ClientMessage => {
    const body = error === undefined ? { result: {} } : { error };
    const text = JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(id), ...body });
    return {
      kind: 'response',
      text,
      id,
      result: error === undefined ? {} : undefined,
      error: error && { ...error },
    };
  };
  const outcomes = () =>
    written.map(({ type, message, ending }) => [
      type,
      message?.kind === 'request' ? message.id : undefined,
      ending?.refusal?.code ?? ending?.response?.error?.code,
    ]);

  it("writes one record per request, with the client's message and the response", () => {
    const log = open({ keepsAnswers: true });
    const request = clientRequest();
    const said = requestView('tools/call', { name: 'seen' });
    const final = requestView('tools/call', { name: 'real' });
    log.said(said, exchange(request));
    log.answered(answerTo(final, { code: -1, message: 'no' }), exchange(request, final));
    log.ended(requestEnd([final]), request, NOW);
    expect(written).to.have.length(1);
    expect(written[0]).to.deep.include({ original: said, message: final, type: 'mcp_tool_call', at: NOW });
    expect(written[0]?.ending?.response).to.deep.include({ error: { code: -1, message: 'no' } });
    expect(written[0]?.ending?.response?.text).to.include('"error"');
  });

  it('writes one record per message of a batch, each with its own outcome', () => {
    const log = open();
    const request = clientRequest();
    const [one, two, three] = ['a', 'b', 'c'].map((id) => requestView('tools/call', { name: id }, id));
    const told: ClientMessage = {
      kind: 'notification',
      text: '{}',
      method: 'notifications/message',
      params: undefined,
    };
    if (one === undefined || two === undefined || three === undefined) throw new Error('three were made');
    for (const message of [one, two, told, three]) log.said(message, exchange(request));
    log.answered(answerTo(three, { code: -2, message: 'x' }), exchange(request, three));
    log.answered(answerTo(one), exchange(request, one));
    const refusal: MadeRefusal = {
      id: two.id,
      code: 'ERR_POLICY_REFUSED',
      status: 403,
      error: { code: 403, message: 'no' },
    };
    log.ended(requestEnd([one, two, told, three], { refusals: [refusal] }), request, NOW);
    expect(outcomes()).to.deep.equal([
      ['mcp_tool_call', '"a"', undefined],
      ['mcp_tool_call', '"b"', 'ERR_POLICY_REFUSED'],
      ['mcp_notification', undefined, undefined],
      ['mcp_tool_call', '"c"', -2],
    ]);
  });

  it('writes one record for a request without messages', () => {
    const log = open();
    log.ended(requestEnd([], { status: 403 }), clientRequest(), NOW);
    log.ended(requestEnd([], { status: 204 }), clientRequest({ method: 'DELETE' }), NOW);
    expect(written.map(({ type, ending }) => [type, ending?.status])).to.deep.equal([
      ['http_request', 403],
      ['http_request', 204],
    ]);
  });

  it('records the start of a stream, not its end', () => {
    const log = open();
    const get = clientRequest({ method: 'GET', headers: { accept: 'text/event-stream' } });
    log.began({ status: 200, isStream: true, durationMs: 2, messages: [] }, get, NOW);
    expect(outcomes()).to.deep.equal([['sse_connection', undefined, undefined]]);
    log.ended(requestEnd([]), get, NOW);
    const post = clientRequest();
    const listen = requestView('subscriptions/listen');
    log.began({ status: 200, isStream: true, durationMs: 2, messages: [listen] }, post, NOW);
    log.ended(requestEnd([listen]), post, NOW);
    expect(outcomes()).to.have.length(2);
    const call = clientRequest();
    log.began(
      { status: 200, isStream: true, durationMs: 2, messages: [requestView('tools/call')] },
      call,
      NOW,
    );
    expect(written).to.have.length(2);
    log.ended(requestEnd([requestView('tools/call')]), call, NOW);
    expect(written[2]?.ending).to.include({ isStream: true });
  });

  it('waits for a response on another stream, for a limited time', async () => {
    const log = open({ answerWaitMs: 30 });
    const request = clientRequest();
    const asked = requestView('tools/call');
    log.ended(requestEnd([asked], { status: 202 }), request, NOW);
    expect(written).to.deep.equal([]);
    log.answered(answerTo(asked, { code: -3, message: 'no' }), exchange(request, asked));
    expect(outcomes()).to.deep.equal([['mcp_tool_call', '1', -3]]);
    log.answered(answerTo(asked), exchange(request, asked));
    log.ended(requestEnd([asked], { status: 202 }), clientRequest(), NOW);
    await eventually(() => expect(written).to.have.length(2));
    expect(written[1]?.ending?.response).to.equal(undefined);
  });

  describe('call that its client cancels over HTTP+SSE', () => {
    const session = { path: '/messages', query: 'session_id=a' };
    const cancel = (requestId: unknown): ClientMessage => ({
      kind: 'notification',
      text: '',
      method: 'notifications/cancelled',
      params: { requestId },
    });
    const taken = (message: ClientMessage): RequestEnd => requestEnd([message], { status: 202 });

    for (const id of [1, 'one', '1']) {
      it(`writes the record when the cancellation of ${JSON.stringify(id)} is handled`, async () => {
        const log = open({ cancelledWaitMs: 0 });
        log.ended(taken(requestView('tools/call', undefined, id)), clientRequest(session), NOW);
        expect(written).to.deep.equal([]);
        log.ended(taken(cancel(id)), clientRequest(session), NOW);
        await eventually(() => expect(written.map(({ type }) => type)).to.include('mcp_tool_call'));
      });
    }

    it('writes the response that the server sends in spite of the cancellation', () => {
      const log = open();
      const [asked, call] = [requestView('tools/call'), clientRequest(session)];
      log.ended(taken(asked), call, NOW);
      log.ended(taken(cancel(1)), clientRequest(session), NOW);
      log.answered(answerTo(asked, { code: -3, message: 'no' }), exchange(call, asked));
      expect(outcomes()).to.deep.include(['mcp_tool_call', '1', -3]);
    });

    it('writes the record soon when the cancellation completes before the call', async () => {
      const log = open({ cancelledWaitMs: 0 });
      log.ended(taken(cancel(1)), clientRequest(session), NOW);
      log.ended(taken(requestView('tools/call')), clientRequest(session), NOW);
      await eventually(() => expect(written.map(({ type }) => type)).to.include('mcp_tool_call'));
    });

    it('continues to wait when the cancellation is for another request or session, or was denied', async () => {
      const log = open({ cancelledWaitMs: 0 });
      for (const id of [1, 2])
        log.ended(taken(requestView('tools/call', undefined, id)), clientRequest(session), NOW);
      const refusal = { id: undefined, code: 'ERR_X', status: 202, error: { code: 403, message: 'no' } };
      log.ended(taken(cancel('1')), clientRequest(session), NOW);
      log.ended(taken(cancel(1)), clientRequest({ ...session, query: 'session_id=b' }), NOW);
      log.ended({ ...taken(cancel(1)), refusals: [refusal] }, clientRequest(session), NOW);
      log.ended(taken(cancel(2)), clientRequest(session), NOW);
      // Timers of one length end in the order of their start.
      await eventually(() => expect(outcomes()).to.deep.include(['mcp_tool_call', '2', undefined]));
      expect(outcomes()).not.to.deep.include(['mcp_tool_call', '1', undefined]);
      log.close();
      expect(outcomes()).to.deep.include(['mcp_tool_call', '1', undefined]);
    });
  });

  it('records the response on another stream, before or after the end of the request', () => {
    const answeredAt = new Date('2026-08-21T09:14:05.000Z');
    let now = 0;
    const log = open({ clock: () => answeredAt, nowMs: () => now });
    const asked = requestView('tools/call');
    const [early, late] = [clientRequest(), clientRequest()];
    const taken = requestEnd([asked], { status: 202, responseBytes: 8, durationMs: 1500 });
    log.answered(answerTo(asked), exchange(early, asked));
    now += 500;
    log.ended(taken, early, NOW);
    log.ended({ ...taken, durationMs: 500 }, late, NOW);
    now += 500;
    log.answered(answerTo(asked), exchange(late, asked));
    const told = written.map(({ at, ending }) => ({ at, ...ending }));
    expect(told).to.have.length(2);
    for (const one of told) {
      const responseBytes = answerTo(asked).text.length;
      expect(one).to.deep.include({ at: answeredAt, isStream: true, durationMs: 1000, responseBytes });
    }
  });

  it('records the reason for refusing a malformed message that had an id', () => {
    const log = open();
    const refusal: MadeRefusal = {
      id: '1',
      code: 'ERR_MESSAGE_INVALID',
      status: 400,
      error: { code: -32_600, message: 'no' },
    };
    log.ended(requestEnd([], { status: 400, refusals: [refusal] }), clientRequest(), NOW);
    expect(written[0]?.ending?.refusal).to.equal(refusal);
  });

  it('writes waiting records on close, and at once above a maximum', () => {
    const log = open();
    const asked = requestView('tools/call');
    for (let count = 0; count < 1001; count += 1) {
      log.ended(requestEnd([asked], { status: 202 }), clientRequest(), NOW);
    }
    expect(written).to.have.length(1);
    log.close();
    expect(written).to.have.length(1001);
    log.close();
    expect(written).to.have.length(1001);
  });

  it('writes a start record with the same id, if that type is selected', () => {
    const log = open({ tellsBeginnings: true, isSelected: (type) => type !== 'mcp_ping' });
    const request = clientRequest();
    const [call, ping] = [requestView('tools/call', {}, 1), requestView('ping', {}, 2)];
    const begun = log.said(call, exchange(request));
    expect(begun).to.include({ ending: undefined, type: 'mcp_tool_call' });
    expect(log.said(ping, exchange(request))).to.equal(undefined);
    log.ended(requestEnd([call, ping]), request, NOW);
    expect(written.map(({ id }) => id)).to.deep.equal([begun?.id]);
    const get = clientRequest({ method: 'DELETE' });
    const came = log.came(get);
    log.ended(requestEnd([]), get, NOW);
    expect(written[1]?.id).to.equal(came?.id);
  });
});
