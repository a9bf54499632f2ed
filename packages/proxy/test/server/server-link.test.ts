import { type RequestMessage, parseServerMessage } from '@portolan/mcp-protocol';
import { isPortolanError } from '@portolan/plugin-api';
import { createRecordingLogger, eventually, type RecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { type Counts, createCounts } from '../../src/request/counts.ts';
import { PROXY_LIMITS } from '../../src/index.ts';
import { ServerLink } from '../../src/server/server-link.ts';
import type { LinkLimits } from '../../src/server/link-options.ts';
import { type Script, ScriptedServer } from '../support/scripted-server.ts';

interface Outcome {
  answer?: string;
  failure?: string;
  readonly progress: string[];
}

describe('ServerLink', () => {
  let counts: Counts;
  let logger: RecordingLogger;
  let links: ServerLink[];
  beforeEach(() => {
    counts = createCounts();
    logger = createRecordingLogger();
    links = [];
  });
  afterEach(() => Promise.all(links.map((opened) => opened.close())));

  function link(script: Script = { received: () => undefined }, limits: Partial<LinkLimits> = {}) {
    const server = new ScriptedServer(script);
    const all = { ...PROXY_LIMITS, ...limits };
    const opened = new ServerLink(server, {
      limits: all,
      counts,
      logger,
      clock: () => new Date(),
      nowMs: () => performance.now(),
    });
    links.push(opened);
    return { server, link: opened };
  }

  function ask(to: ServerLink, text: string): Outcome {
    const outcome: Outcome = { progress: [] };
    to.request(request(text), {
      answered: (answer) => {
        outcome.answer = answer.text;
      },
      progressed: (progress) => outcome.progress.push(progress),
      failed: (error) => {
        outcome.failure = error.code;
      },
    });
    return outcome;
  }

  it('sends each request under a new id, and returns the response under the original one', async () => {
    const { server, link: to } = link();
    const outcomes = ['1', '"1"', '9007199254740993'].map((id) =>
      ask(to, `{"jsonrpc":"2.0","id":${id},"method":"a"}`),
    );
    await eventually(() => expect(server.sent).to.have.length(3));
    expect(server.sent.map(({ id }) => id)).to.deep.equal(['p-1', 'p-2', 'p-3']);
    for (const id of ['p-3', 'p-1', 'p-2']) server.write(`{"result":1.0,"id":"${id}","jsonrpc":"2.0"}`);
    await eventually(() => expect(outcomes.every(({ answer }) => answer !== undefined)).to.equal(true));
    expect(outcomes.map(({ answer }) => answer)).to.deep.equal([
      '{"result":1.0,"id":1,"jsonrpc":"2.0"}',
      '{"result":1.0,"id":"1","jsonrpc":"2.0"}',
      '{"result":1.0,"id":9007199254740993,"jsonrpc":"2.0"}',
    ]);
  });

  it('drops and counts responses without a request (D07)', async () => {
    const { server, link: to } = link();
    const outcome = ask(to, '{"jsonrpc":"2.0","id":1,"method":"a"}');
    await server.got('a');
    for (const id of [1, 'p-2', 'p-1', 'p-1']) server.say({ id, result: 0 });
    await eventually(() => expect(counts.droppedAnswers).to.equal(3));
    expect(outcome.answer).to.equal('{"jsonrpc":"2.0","id":1,"result":0}');
  });

  it('delivers progress only to its own request, with its own token (C08)', async () => {
    const { server, link: to } = link();
    const texts = ['7', '"7"'].map(
      (token) => `{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{"progressToken":${token}}}}`,
    );
    const outcomes = texts.map((text) => ask(to, text));
    await eventually(() => expect(server.sent).to.have.length(2));
    for (const { params } of server.sent) {
      server.say({
        method: 'notifications/progress',
        params: { progressToken: params['_meta'].progressToken, progress: 1 },
      });
    }
    server.say({ method: 'notifications/progress', params: { progressToken: 7, progress: 2 } });
    await eventually(() => expect(counts.droppedNotifications).to.equal(1));
    expect(outcomes.map(({ progress }) => progress)).to.deep.equal([
      ['{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}'],
      ['{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"7","progress":1}}'],
    ]);
  });

  it('cancels a request at its time limit, and notifies the server', async () => {
    const { server, link: to } = link(undefined, { requestMs: 20 });
    const outcome = ask(to, '{"jsonrpc":"2.0","id":1,"method":"a"}');
    const cancelled = await server.got('notifications/cancelled');
    expect([outcome.failure, cancelled.params.requestId]).to.deep.equal(['ERR_SERVER_TIMED_OUT', 'p-1']);
    server.say({ id: 'p-1', result: {} });
    await eventually(() => expect(counts.droppedAnswers).to.equal(1));
  });

  it('extends the time limit on progress, up to the maximum (D03)', async () => {
    const { server, link: to } = link(undefined, { requestMs: 500, longestRequestMs: 1500 });
    const started = performance.now();
    const outcome = ask(to, '{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{"progressToken":0}}}');
    const timer = setInterval(() => {
      server.say({ method: 'notifications/progress', params: { progressToken: 'p-1', progress: 1 } });
    }, 20);
    await eventually(() => expect(outcome.failure).to.equal('ERR_SERVER_TIMED_OUT'));
    clearInterval(timer);
    expect(performance.now() - started).to.be.greaterThan(1400);
  });

  it('never cancels initialize', async () => {
    const { server, link: to } = link(undefined, { requestMs: 10 });
    const outcome = ask(to, '{"jsonrpc":"2.0","id":1,"method":"initialize"}');
    await eventually(() => expect(outcome.failure).to.equal('ERR_SERVER_TIMED_OUT'));
    expect(server.sent.map(({ method }) => method)).to.deep.equal(['initialize']);
  });

  it('fails all pending requests when the process exits', async () => {
    const { server, link: to } = link();
    const outcomes = [1, 2].map((id) => ask(to, `{"jsonrpc":"2.0","id":${id},"method":"a"}`));
    server.exit();
    await to.ended;
    expect(outcomes.map(({ failure }) => failure)).to.deep.equal(['ERR_SERVER_EXITED', 'ERR_SERVER_EXITED']);
    expect(codeOf(() => ask(to, '{"jsonrpc":"2.0","id":1,"method":"a"}'))).to.equal('ERR_SERVER_EXITED');
  });

  it('rejects messages above its maximum for a server that does not read', async () => {
    const { link: to } = link({ isStuck: true }, { queuedMessages: 3 });
    const outcomes = [1, 2, 3].map((id) => ask(to, `{"jsonrpc":"2.0","id":${id},"method":"a"}`));
    expect(codeOf(() => ask(to, '{"jsonrpc":"2.0","id":4,"method":"a"}'))).to.equal('ERR_SERVER_BUSY');
    expect(to.waiting).to.equal(3);
    await to.close();
    expect(outcomes.map(({ failure }) => failure)).to.deep.equal(Array(3).fill('ERR_SESSION_ENDED'));
  });

  it('skips invalid lines, counts them, and logs them truncated', async () => {
    const { server, link: to } = link();
    const outcome = ask(to, '{"jsonrpc":"2.0","id":1,"method":"a"}');
    await server.got('a');
    for (let line = 0; line < 20; line += 1)
      server.write(`log: {"jsonrpc":"2.0","id":"p-1","result":"${'x'.repeat(300)}"}`);
    server.say({ id: 'p-1', result: 'real' });
    await eventually(() => expect(outcome.answer).to.include('real'));
    expect(counts.skippedLines).to.equal(20);
    // The limit is ten lines in a minute, and a new minute may begin during the test.
    expect(logger.lines).to.have.length.within(10, 20);
    expect(logger.lines[0]?.fields).to.have.property('line').with.length(200);
  });

  it('fails the request of a response that is too large, if its id is readable (D05)', async () => {
    const { server, link: to } = link();
    const outcomes = [1, 2, 3, 4].map((id) => ask(to, `{"jsonrpc":"2.0","id":${id},"method":"a"}`));
    const big = 'x'.repeat(1000);
    for (const beginning of [
      `{"jsonrpc":"2.0","id":"p-1","result":{"id":"p-2","text":"${big}`,
      `{"jsonrpc":"2.0","result":{"text":"${big}`,
      `{"id":"p-2","method":"sampling/createMessage","params":{"text":"${big}`,
      `{"id":"p-3","result":{},"more":1,"id":"p-9`,
      `log "id":"p-2" ${big}`,
      '{"jsonrpc":"2.0","id":"p-4',
      `{"\\x":1,"id":"p-4","result":"${big}`,
    ]) {
      server.write({ beginning });
    }
    server.say({ id: 'p-2', result: 0 });
    await eventually(() => expect(outcomes[1]?.answer).to.equal('{"jsonrpc":"2.0","id":2,"result":0}'));
    const tooLarge = 'ERR_ANSWER_TOO_LARGE';
    expect(outcomes.map(({ failure }) => failure)).to.deep.equal([tooLarge, undefined, tooLarge, undefined]);
    expect(counts.skippedLines).to.equal(7);
  });

  it('keeps messages of the server until there is a listener', async () => {
    const { server, link: to } = link();
    server.say({ method: 'notifications/early' });
    server.write('not a message');
    await eventually(() => expect(counts.skippedLines).to.equal(1));
    const heard: string[] = [];
    to.listen({
      takesBatches: false,
      requested: ({ method }) => heard.push(method),
      notified: ({ method }) => heard.push(method),
      ended: () => heard.push('end'),
    });
    server.exit();
    await to.ended;
    expect(heard).to.deep.equal(['notifications/early', 'end']);
  });

  it('waits a short time for the response to a cancelled request', async () => {
    const { server, link: to } = link(undefined, { cancelledMs: 10 });
    let failure = '';
    const sent = to.request(request('{"jsonrpc":"2.0","id":"mine","method":"a"}'), {
      answered: () => undefined,
      progressed: () => undefined,
      failed: (error) => {
        failure = error.code;
      },
    });
    const notice = parseServerMessage(
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"mine","reason":"no"}}',
    );
    if (typeof notice === 'string' || notice.kind !== 'notification') throw new TypeError('a notification');
    to.cancel(sent, notice);
    to.cancel(sent, notice);
    await eventually(() => expect(failure).to.equal('ERR_REQUEST_CANCELLED'));
    expect(server.sent.slice(1).map(({ params }) => params)).to.deep.equal([
      { requestId: 'p-1', reason: 'no' },
    ]);
  });
});

function request(text: string): RequestMessage {
  const message = parseServerMessage(text);
  if (typeof message === 'string' || message.kind !== 'request') throw new TypeError(`no request: ${text}`);
  return message;
}

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    return isPortolanError(error) ? error.code : String(error);
  }
  return undefined;
}
