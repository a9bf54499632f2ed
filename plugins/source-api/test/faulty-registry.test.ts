import type { RequestListener } from 'node:http';
import { inTime } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { ApiConfig } from '../src/index.ts';
import { faultOf } from './fault-of.ts';
import { openSource } from './open-source.ts';
import { readEntries } from './read-entries.ts';
import { row, startStubRegistry, type StubRegistry } from './stub-registry.ts';

interface Faulty {
  readonly title: string;
  /** What the registry does from its second page on. */
  readonly answer: RequestListener;
  readonly code: string;
  readonly message: RegExp;
  readonly config?: Partial<ApiConfig>;
}

const json = (value: unknown): RequestListener => {
  return (_request, response) => void response.end(JSON.stringify(value));
};
const page = (rows: readonly object[], metadata: object): RequestListener =>
  json({ servers: rows, metadata });
const status = (code: number, headers: Record<string, string> = {}): RequestListener => {
  return (_request, response) => void response.writeHead(code, headers).end('{"error":"no"}');
};

let turn = 0;
/** A page with another cursor, and another row, each time. */
const endless: RequestListener = (request, response) => {
  turn += 1;
  const metadata = { count: 1, nextCursor: `t${turn}` };
  page([row('dev.acme/more', `1.0.${turn}`)], metadata)(request, response);
};

const FAULTY: readonly Faulty[] = [
  {
    title: 'whose cursor repeats',
    answer: (request, response) => {
      turn += 1;
      page([row('dev.acme/more', `1.0.${turn}`)], { nextCursor: '2' })(request, response);
    },
    code: 'ERR_SOURCE_RESPONSE',
    message: /has led here before/,
  },
  {
    title: 'whose cursor leads to the same rows endlessly',
    answer: (request, response) => {
      turn += 1;
      page([row('dev.acme/a', '1.0.0')], { nextCursor: `t${turn}` })(request, response);
    },
    code: 'ERR_SOURCE_RESPONSE',
    message: /only rows of earlier pages/,
  },
  {
    title: 'whose cursor leads to empty pages endlessly',
    answer: (request, response) => {
      turn += 1;
      page([], { nextCursor: `t${turn}` })(request, response);
    },
    config: { maxPages: 1000 },
    code: 'ERR_SOURCE_RESPONSE',
    message: /pages without rows follow each other/,
  },
  {
    title: 'with more pages than the maximum',
    answer: endless,
    code: 'ERR_SOURCE_TOO_LARGE',
    message: /more than 50 pages/,
  },
  {
    title: 'with more versions than the maximum',
    answer: endless,
    config: { maxEntries: 20 },
    code: 'ERR_SOURCE_TOO_LARGE',
    message: /more than 20 versions/,
  },
  {
    title: 'whose page is invalid JSON',
    answer: (_request, response) => void response.end('<html>Please log in</html>'),
    code: 'ERR_SOURCE_RESPONSE',
    message: /page 2 of the servers cannot be used: it is not JSON/,
  },
  {
    title: 'whose page is invalid UTF-8',
    answer: (_request, response) => void response.end(Buffer.from('{"servers":["\xff"]}', 'latin1')),
    code: 'ERR_SOURCE_RESPONSE',
    message: /not JSON/,
  },
  { title: 'whose page is a list', answer: json([]), code: 'ERR_SOURCE_RESPONSE', message: /not an object/ },
  {
    title: 'whose page has no servers',
    answer: json({ items: [] }),
    code: 'ERR_SOURCE_RESPONSE',
    message: /no list `servers`/,
  },
  {
    title: 'whose page has two lists of servers',
    answer: (_request, response) => void response.end('{"servers":[],"servers":[]}'),
    code: 'ERR_SOURCE_RESPONSE',
    message: /has `servers` twice/,
  },
  {
    title: 'whose page is truncated',
    answer: (_request, response) => void response.end('{"servers":[{"server":{"name":"dev.acme/d"'),
    code: 'ERR_SOURCE_RESPONSE',
    message: /not JSON/,
  },
  {
    title: 'whose metadata is not an object',
    answer: json({ servers: [], metadata: [1] }),
    code: 'ERR_SOURCE_RESPONSE',
    message: /its `metadata` is not an object/,
  },
  {
    title: 'whose count is wrong',
    answer: page([row('dev.acme/more', '1.0.0')], { count: 2 }),
    code: 'ERR_SOURCE_RESPONSE',
    message: /its `count` is 2, but it has 1 rows/,
  },
  {
    title: 'whose count is not a number',
    answer: page([], { count: 'many' }),
    code: 'ERR_SOURCE_RESPONSE',
    message: /its `count` is not a number/,
  },
  {
    title: 'whose cursor is not a string',
    answer: page([], { nextCursor: 7 }),
    code: 'ERR_SOURCE_RESPONSE',
    message: /not a string/,
  },
  {
    title: 'whose cursor is too long',
    answer: page([], { nextCursor: 'x'.repeat(9000) }),
    code: 'ERR_SOURCE_RESPONSE',
    message: /more than 8192/,
  },
  {
    title: 'with a name that changes its case',
    answer: page([row('com.example/Notes', '1.0.0'), row('com.example/notes', '1.1.0')], { count: 2 }),
    code: 'ERR_SOURCE_RESPONSE',
    message: /servers\[1\] of page 2 is "com.example\/notes", which is already in the list in another case/,
  },
  {
    title: 'with a name that changes its case from one page to the next',
    answer: page([row('COM.example/first', '1.1.0')], { count: 1 }),
    code: 'ERR_SOURCE_RESPONSE',
    message: /servers\[0\] of page 2 is "COM.example\/first", which is already in the list in another case/,
  },
  {
    title: 'with a version that appears twice',
    answer: page([row('com.example/x', '1.0.0'), row('com.example/x', '1.0.0', { status: 'deleted' })], {}),
    code: 'ERR_SOURCE_RESPONSE',
    message: /servers\[1\] of page 2 is a version of "com.example\/x" that is already in the list/,
  },
  {
    title: 'with a version that appears twice, on two pages',
    answer: page([row('com.example/new', '1.0.0'), row('com.example/first', '1.0.0')], { nextCursor: 'x' }),
    code: 'ERR_SOURCE_RESPONSE',
    message: /servers\[1\] of page 2 is a version of "com.example\/first"/,
  },
  { title: 'that responds with 403', answer: status(403), code: 'ERR_SOURCE_STATUS', message: /status 403/ },
  {
    title: 'that responds with 404',
    answer: status(404),
    code: 'ERR_SOURCE_STATUS',
    message: /status 404/,
  },
  {
    title: 'that responds without a usable body',
    answer: status(204),
    code: 'ERR_SOURCE_STATUS',
    message: /status 204/,
  },
  {
    title: 'that fails every time',
    answer: status(503),
    code: 'ERR_SOURCE_STATUS',
    message: /status 503/,
  },
  {
    title: 'that asks for a retry in an hour',
    answer: status(429, { 'retry-after': '3600' }),
    code: 'ERR_SOURCE_STATUS',
    message: /retry in 3600 s/,
  },
  {
    title: 'that redirects to a private address',
    answer: status(302, { location: 'http://127.0.0.1:8099/v0.1/servers' }),
    code: 'ERR_SOURCE_REDIRECT',
    message: /to an address that may not be reached/,
  },
  {
    title: 'that redirects to a cloud metadata address',
    answer: status(307, { location: 'http://169.254.169.254/latest/meta-data' }),
    code: 'ERR_SOURCE_REDIRECT',
    message: /to an address that may not be reached/,
  },
  {
    title: 'with a redirect loop',
    answer: (request, response) => status(302, { location: request.url ?? '' })(request, response),
    code: 'ERR_SOURCE_REDIRECT',
    message: /more than 5 times/,
  },
  {
    title: 'that redirects to another scheme',
    answer: status(302, { location: 'file:///etc/passwd' }),
    code: 'ERR_SOURCE_REDIRECT',
    message: /begins with file:/,
  },
  {
    title: 'that redirects without a target',
    answer: status(302),
    code: 'ERR_SOURCE_REDIRECT',
    message: /without saying where to/,
  },
  {
    title: 'with an endless body',
    answer: (_request, response) => {
      const more = setInterval(() => response.write('['.repeat(20_000)), 1);
      response.on('close', () => clearInterval(more));
    },
    code: 'ERR_SOURCE_TOO_LARGE',
    message: /larger than 100000 bytes/,
  },
  {
    title: 'that hangs before it responds',
    answer: () => undefined,
    config: { timeout: '100ms' },
    code: 'ERR_SOURCE_TIMEOUT',
    message: /within 0.1 s/,
  },
  {
    title: 'that hangs within a body',
    answer: (_request, response) => void response.write('{"servers":['),
    config: { timeout: '100ms' },
    code: 'ERR_SOURCE_TIMEOUT',
    message: /within 0.1 s/,
  },
  {
    title: 'that closes the connection',
    answer: (request) => void request.socket.destroy(),
    code: 'ERR_SOURCE_UNREACHABLE',
    message: /failed/,
  },
  {
    title: 'that closes within a body',
    answer: (_request, response) => {
      response.setHeader('content-length', 1000);
      response.write('{"servers":[', () => response.destroy());
    },
    code: 'ERR_SOURCE_UNREACHABLE',
    message: /failed/,
  },
];

describe('api source of a faulty registry', () => {
  let stub: StubRegistry;

  beforeEach(async () => {
    turn = 0;
    stub = await startStubRegistry();
    stub.rows = [
      row('com.example/first', '1.0.0'),
      ...['a', 'b', 'c'].map((name) => row(`dev.acme/${name}`, '1.0.0')),
    ];
  });
  afterEach(() => stub.close());

  for (const { title, answer, code, message, config } of FAULTY) {
    it(`fails with a reason for a registry ${title}`, async () => {
      stub.instead = (request, response) => {
        if (!request.url?.includes('cursor')) return false;
        answer(request, response);
        return true;
      };
      const { source } = openSource({ endpoint: stub.url, types: ['server'], ...config });
      try {
        const fault = await inTime(
          'the fault',
          faultOf(() => readEntries(source)),
        );
        expect(fault.code).to.equal(code);
        expect(fault.message).to.match(message);
        expect(fault.hint).to.be.a('string').and.not.equal('');
        expect(fault.message, 'nothing of where it is').to.not.match(/127\.0\.0\.1|169\.254|acme/);
      } finally {
        await source.close();
      }
    });
  }

  it('skips a row that is nested too deep', async () => {
    stub.instead = (request, response) => {
      if (!request.url?.includes('cursor')) return false;
      const deep = `${'['.repeat(70)}${']'.repeat(70)}`;
      const good = JSON.stringify(row('dev.acme/more', '1.0.0'));
      response.end(`{"servers":[{"server":${deep}},${good}],"metadata":{"count":2}}`);
      return true;
    };
    const { source } = openSource({ endpoint: stub.url, types: ['server'] });
    try {
      const items = await readEntries(source);
      expect(items).to.deep.include({
        skipped: 'servers[0] of page 2',
        because: 'The row is too deep.',
        scope: 'servers',
      });
      expect(JSON.stringify(items)).to.include('dev.acme/more');
    } finally {
      await source.close();
    }
  });

  it('fails with a reason when the registry is unreachable', async () => {
    const { url } = stub;
    await stub.close();
    const { source } = openSource({ endpoint: url });
    const fault = await faultOf(() => readEntries(source));
    expect(fault.code).to.equal('ERR_SOURCE_UNREACHABLE');
    expect(fault.message).to.include('ECONNREFUSED');
    stub = await startStubRegistry();
  });
});
