import { openFetch } from '@portolan/outbound';
import { createRecordingLogger, type RecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import {
  type CollectorResponse,
  type OtlpCollector,
  startOtlpCollector,
} from '../../../test/support/otlp/otlp-collector.ts';
import { OtlpSender } from '../src/otlp-sender.ts';
import { refusedPart } from '../src/refused-part.ts';

const EMPTY = new Uint8Array();

/** `ExportTraceServiceResponse` with a `partial_success`. */
function partialSuccess(rejected: number, message: string): Buffer {
  const text = Buffer.from(message);
  return Buffer.from([0x0a, text.length + 4, 0x08, rejected, 0x12, text.length, ...text]);
}

describe('OtlpSender', () => {
  let collector: OtlpCollector;
  let logger: RecordingLogger;
  let fetch: typeof globalThis.fetch;
  let closeFetch: () => Promise<void>;

  beforeEach(async () => {
    collector = await startOtlpCollector();
    logger = createRecordingLogger();
    const open = await openFetch({ allowPrivateAddresses: true });
    ({ fetch } = open);
    closeFetch = () => open.close();
  });
  afterEach(async () => {
    await closeFetch();
    await collector.close();
  });

  const senderTo = (path: string, pausesMs: readonly number[] = [], by = fetch): OtlpSender =>
    new OtlpSender({
      address: `http://${collector.address}${path}`,
      headers: { 'x-key': 'k' },
      fetch: by,
      logger,
      called: 'traces',
      pausesMs,
      refusedIn: (answer) => refusedPart('traces', answer),
    });
  const answerInTurn = (...answers: readonly CollectorResponse[]): void => {
    let turn = 0;
    collector.answer = () => answers[turn++] ?? { status: 200 };
  };
  const told = (): readonly string[] => logger.lines.map(({ level, message }) => `${level} ${message}`);

  for (const status of [429, 502, 503, 504]) {
    it(`retries after ${status}`, async () => {
      answerInTurn({ status }, { status });
      await senderTo('/v1/traces', [1, 1]).send(EMPTY);
      expect(collector.requests).to.have.length(3);
      expect(collector.requests.map(({ headers }) => headers['x-key'])).to.deep.equal(['k', 'k', 'k']);
      expect(told()).to.deep.equal([]);
    });
  }

  it('honours Retry-After', async () => {
    answerInTurn({ status: 503, headers: { 'Retry-After': '0' } });
    await senderTo('/v1/traces', [60_000]).send(EMPTY);
    expect(collector.requests).to.have.length(2);
  });

  for (const status of [400, 401, 404, 413, 500]) {
    it(`does not retry after ${status}`, async () => {
      answerInTurn({ status });
      await senderTo('/v1/traces', [1]).send(EMPTY);
      expect(collector.requests).to.have.length(1);
      expect(logger.lines[0]?.fields).to.include({ status });
    });
  }

  it('follows no redirect, which would send its headers elsewhere', async () => {
    answerInTurn({ status: 307, headers: { Location: '/v1/metrics' } });
    await senderTo('/v1/traces').send(EMPTY);
    expect(collector.requests.map(({ path }) => path)).to.deep.equal(['/v1/traces']);
    expect(logger.lines[0]?.fields).to.include({ status: 307 });
  });

  it('logs a failure once, and the recovery once', async () => {
    answerInTurn({ status: 400 }, { status: 500 }, { status: 200 }, { status: 200 }, { status: 404 });
    const sender = senderTo('/v1/traces');
    for (let turn = 0; turn < 5; turn += 1) await sender.send(EMPTY);
    expect(told()).to.deep.equal([
      'warn traces cannot be exported, and are dropped meanwhile',
      'info traces are exported again',
      'warn traces cannot be exported, and are dropped meanwhile',
    ]);
    expect(JSON.stringify(logger.lines)).not.to.include('x-key');
  });

  it('logs a partial rejection once, and does not send the data again', async () => {
    const body = partialSuccess(3, 'too old');
    answerInTurn(
      { status: 200, body },
      { status: 200, body },
      { status: 200, body: partialSuccess(0, 'soon full') },
    );
    const sender = senderTo('/v1/traces', [1]);
    for (let turn = 0; turn < 3; turn += 1) await sender.send(EMPTY);
    expect(collector.requests).to.have.length(3);
    expect(told()).to.deep.equal([
      'warn traces were rejected in part, which is dropped',
      'info traces are exported again',
    ]);
    expect(logger.lines[0]?.fields).to.include({ refused: 3, because: 'too old' });
  });

  const odd: readonly (readonly [title: string, body: Uint8Array])[] = [
    ['is no message', Buffer.from('<html>fine</html>')],
    ['is cut off', partialSuccess(3, 'too old').subarray(0, 6)],
    ['does not end', Buffer.alloc(1_000_000, 0xff)],
  ];
  for (const [title, body] of odd) {
    it(`treats a 200 response that ${title} as success`, async () => {
      answerInTurn({ status: 200, body });
      await senderTo('/v1/traces').send(EMPTY);
      expect(told()).to.deep.equal([]);
    });
  }

  it('does not resend after a 200 response with an unreadable body', async () => {
    let requests = 0;
    const cut = async (): Promise<Response> => {
      requests += 1;
      return new Response(new ReadableStream({ pull: (body) => body.error(new Error('cut')) }));
    };
    const sender = senderTo('/v1/traces', [1], cut);
    await sender.send(EMPTY);
    expect(requests).to.equal(1);
    expect(told()).to.deep.equal([]);
  });

  it('aborts pending requests', async () => {
    collector.answer = () => 'hang';
    const sender = senderTo('/v1/traces', [60_000]);
    const sending = sender.send(EMPTY);
    sender.abort();
    await Promise.all([sending, sender.idle()]);
    expect(told()).to.have.length(1);
  });
});
