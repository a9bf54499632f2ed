import { createRecordingLogger, FakeClock, inTime } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { TokenExchanger } from '../src/token-exchanger.ts';
import { IS_SOAK } from '../../../test/support/soak.ts';
import { type ExchangeResponder, answerToken, ExchangeEndpoint } from './exchange-endpoint.ts';
import { SETTINGS } from './settings.ts';

describe('TokenExchanger', () => {
  const clock = new FakeClock();
  const logger = createRecordingLogger();
  const opened: (() => unknown)[] = [];

  async function open(
    answer: ExchangeResponder,
    requestMs = 30_000,
  ): Promise<{ readonly endpoint: ExchangeEndpoint; readonly exchanger: TokenExchanger }> {
    const endpoint = await ExchangeEndpoint.open(answer);
    const exchanger = new TokenExchanger({
      config: { ...SETTINGS, token_url: endpoint.url },
      authorization: 'Basic eDp5',
      fetch: globalThis.fetch,
      logger,
      clock: clock.clock,
      requestMs,
    });
    opened.push(() => exchanger.close(), endpoint.close);
    return { endpoint, exchanger };
  }

  afterEach(async () => {
    for (const close of opened.splice(0)) await close();
  });

  it('exchanges each token once while the result is valid, with a safety margin', async () => {
    const { endpoint, exchanger } = await open(answerToken);
    for (const token of ['a', 'b', 'a', 'b'])
      expect(await exchanger.exchange(token)).to.equal(`for-${token}`);
    expect(endpoint.asked).to.have.length(2);
    expect(endpoint.asked[0]?.headers.authorization).to.equal('Basic eDp5');
    clock.advance(569_999);
    await exchanger.exchange('a');
    expect(endpoint.asked).to.have.length(2);
    clock.advance(1);
    await exchanger.exchange('a');
    expect(endpoint.asked).to.have.length(3);
    exchanger.forget('a');
    await exchanger.exchange('a');
    expect(endpoint.asked).to.have.length(4);
  });

  it('exchanges each time when the result has no lifetime', async () => {
    const { endpoint, exchanger } = await open((response, asked) =>
      answerToken(response, asked, { expires_in: undefined }),
    );
    await exchanger.exchange('a');
    await exchanger.exchange('a');
    expect(endpoint.asked).to.have.length(2);
  });

  it('exchanges once for concurrent requests, and does not cache a failure', async () => {
    let isDown = true;
    const { endpoint, exchanger } = await open((response, asked) => {
      if (isDown) response.writeHead(503).end();
      else answerToken(response, asked);
    });
    const all = await Promise.allSettled(Array.from({ length: 50 }, () => exchanger.exchange('a')));
    expect(all.map(({ status }) => status)).to.deep.equal(Array(50).fill('rejected'));
    expect(endpoint.asked).to.have.length(1);
    isDown = false;
    expect(await exchanger.exchange('a')).to.equal('for-a');
  });

  it('refuses exchanges above the maximum concurrency as busy', async () => {
    const { exchanger } = await open(() => undefined);
    const begin = (index: number): Promise<string> => exchanger.exchange(`t${index}`).catch(() => 'closed');
    const under = Array.from({ length: 256 }, (_, index) => begin(index));
    const refused: unknown = await exchanger.exchange('one more').catch((error: unknown) => error);
    expect(refused).to.include({ code: 'ERR_TOKEN_EXCHANGE_BUSY', class: 'busy' });
    exchanger.close();
    expect(new Set(await Promise.all(under))).to.deep.equal(new Set(['closed']));
  });

  const FAULTS: readonly {
    readonly of: string;
    readonly answer: ExchangeResponder;
    readonly reason: RegExp;
  }[] = [
    { of: 'an endpoint that hangs', answer: () => undefined, reason: /did not respond within/ },
    {
      of: 'an endpoint that hangs during the response',
      answer: (response) => void response.writeHead(200).write('{"access_token":'),
      reason: /did not respond within/,
    },
    {
      of: 'an endpoint with an overlong response',
      answer: (response) => void response.end(`"${'x'.repeat(1024 * 1024)}"`),
      reason: /more than 1048576 bytes/,
    },
    {
      of: 'an endpoint that redirects',
      answer: (response) => void response.writeHead(307, { Location: '/elsewhere' }).end(),
      reason: /redirects/,
    },
    {
      of: 'an endpoint that disconnects',
      answer: (response) => void response.destroy(),
      reason: /the request failed/,
    },
    {
      of: 'an endpoint that refuses',
      answer: (response) => void response.writeHead(400).end('{"error":"invalid_grant"}'),
      reason: /status 400 and invalid_grant/,
    },
    {
      of: 'an endpoint that lies',
      answer: (response) => void response.end('{"access_token":"secret-subject"}'),
      reason: /no issued_token_type/,
    },
  ];
  for (const { of, answer, reason } of FAULTS) {
    it(`denies a call, and logs the reason without telling the client: ${of}`, async () => {
      const before = logger.lines.length;
      const { exchanger, endpoint } = await open(answer, 300);
      const error: unknown = await inTime(
        'an end',
        exchanger.exchange('secret-subject').catch((thrown: unknown) => thrown),
      );
      expect(error).to.include({ status: 403, message: 'Token exchange failed', code: 'ERR_TOKEN_EXCHANGE' });
      expect(error).not.to.have.property('headers');
      const lines = logger.lines.slice(before);
      expect(lines).to.have.length(1);
      expect(Object(lines[0]?.fields).reason).to.match(reason);
      expect(JSON.stringify(lines)).not.to.include('secret-subject').and.not.to.include('eDp5');
      expect(endpoint.asked).to.have.length(1);
    });
  }

  it('caches a limited number of tokens, and evicts the oldest', async () => {
    const tokens = IS_SOAK ? 100_000 : 12_000;
    let asked = 0;
    const exchanger = new TokenExchanger({
      config: SETTINGS,
      authorization: undefined,
      fetch: async () => {
        asked += 1;
        return Response.json({
          access_token: 'x'.repeat(1000),
          token_type: 'Bearer',
          issued_token_type: 'x',
          expires_in: 600,
        });
      },
      logger,
      clock: clock.clock,
    });
    for (let at = 0; at < tokens; at += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, more) => exchanger.exchange(`t${at + more}`)));
    }
    expect(asked).to.equal(tokens);
    await exchanger.exchange(`t${tokens - 1}`);
    expect(asked).to.equal(tokens);
    await exchanger.exchange('t0');
    expect(asked).to.equal(tokens + 1);
  });
});
