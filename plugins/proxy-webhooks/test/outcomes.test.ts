import type {
  ClientExchange,
  ClientMessage,
  ClientVerdict,
  Identity,
  ProxyMiddleware,
} from '@portolan/plugin-api';
import { createRecordingLogger, createTestProxyContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mutatingWebhooks, validatingWebhooks, type WebhookConfig } from '../src/index.ts';
import { allow, type Answering, openWebhookServer, type WebhookServer } from './webhook-server.ts';

const TEXT =
  '{ "jsonrpc":"2.0", "id":9007199254740993, "method":"tools/call", "params":{"name":"refund","arguments":{"amount":1.0}}}';
const KINDS = { validating: validatingWebhooks, mutating: mutatingWebhooks };
const PATCH = [{ op: 'replace', path: '/mcp_request/params/arguments/amount', value: 2 }];

type Expected = number | 'goes on' | 'changed';
/** What is answered, and what becomes of the message: validating and mutating, each with `fail` and `ignore`. */
const OUTCOMES: readonly (readonly [
  title: string,
  answer: Answering,
  validating: readonly [fail: Expected, ignore: Expected],
  mutating: readonly [fail: Expected, ignore: Expected],
])[] = [
  ['allows', allow(), ['goes on', 'goes on'], ['goes on', 'goes on']],
  [
    'allows with further members',
    allow({ code: 1, message: 'm', details: {}, patch: null }),
    ['goes on', 'goes on'],
    ['goes on', 'goes on'],
  ],
  ['denies', allow({ allowed: false, message: 'hush' }), [403, 403], [403, 403]],
  [
    'denies with a patch',
    allow({ allowed: false, patch_type: 'json_patch', patch: PATCH }),
    [403, 403],
    [403, 403],
  ],
  ['patches', allow({ patch_type: 'json_patch', patch: PATCH }), [403, 'goes on'], ['changed', 'changed']],
  [
    'sends an empty patch',
    allow({ patch_type: 'json_patch', patch: [] }),
    [403, 'goes on'],
    ['goes on', 'goes on'],
  ],
  ['sends a patch without a type', allow({ patch: PATCH }), [403, 'goes on'], [500, 'goes on']],
  [
    'patches the id',
    allow({ patch_type: 'json_patch', patch: [{ op: 'replace', path: '/mcp_request/id', value: 1 }] }),
    [403, 'goes on'],
    [500, 'goes on'],
  ],
  [
    'patches a missing member',
    allow({ patch_type: 'json_patch', patch: [{ op: 'remove', path: '/mcp_request/nothing' }] }),
    [403, 'goes on'],
    [500, 'goes on'],
  ],
  [
    'sends a patch that is not a list',
    allow({ patch_type: 'json_patch', patch: 'all' }),
    [403, 'goes on'],
    [500, 'goes on'],
  ],
  ['sends the string "true"', allow({ allowed: 'true' }), [403, 'goes on'], [500, 'goes on']],
  ['sends the number 1', allow({ allowed: 1 }), [403, 'goes on'], [500, 'goes on']],
  ['sends no verdict', allow({ allowed: undefined }), [403, 'goes on'], [500, 'goes on']],
  [
    'responds to another request',
    allow({ uid: '00000000-0000-4000-8000-000000000000' }),
    [403, 'goes on'],
    [500, 'goes on'],
  ],
  ['sends no uid', allow({ uid: undefined }), [403, 'goes on'], [500, 'goes on']],
  ['sends another version', allow({ version: 'v9' }), [403, 'goes on'], [500, 'goes on']],
  [
    'sends a duplicate verdict',
    raw((uid) => `{"version":"v0.1.0","uid":"${uid}","allowed":false,"allowed":true}`),
    [403, 'goes on'],
    [500, 'goes on'],
  ],
  [
    'sends two documents',
    raw((uid) => `{"version":"v0.1.0","uid":"${uid}","allowed":true}{"a":1}`),
    [403, 'goes on'],
    [500, 'goes on'],
  ],
  ['sends a list', raw(() => '[]'), [403, 'goes on'], [500, 'goes on']],
  ['sends invalid JSON', raw(() => 'allowed: true'), [403, 'goes on'], [500, 'goes on']],
  ['sends an empty body', raw(() => ''), [403, 'goes on'], [500, 'goes on']],
  [
    'exceeds the size limit',
    raw((uid) => `{"version":"v0.1.0","uid":"${uid}","allowed":true,"details":"${'x'.repeat(1024 * 1024)}"}`),
    [403, 'goes on'],
    [500, 'goes on'],
  ],
  ['responds with status 422', status(422, allow()), [403, 403], [422, 422]],
  ['responds with status 201', status(201, allow()), [403, 'goes on'], [500, 'goes on']],
  ['responds with status 403', status(403, allow({ allowed: false })), [403, 'goes on'], [500, 'goes on']],
  ['responds with status 500', status(500, allow()), [403, 'goes on'], [500, 'goes on']],
  [
    'redirects',
    (question, response) => {
      response.setHeader('Location', '/there');
      status(302, allow())(question, response);
    },
    [403, 'goes on'],
    [500, 'goes on'],
  ],
  ['closes the connection', (_question, { socket }) => socket?.destroy(), [403, 'goes on'], [500, 'goes on']],
  [
    'closes the connection during the response',
    (_question, response) => {
      response.setHeader('Content-Length', 100);
      response.write('{"version":"v0.1.0",', () => response.socket?.destroy());
    },
    [403, 'goes on'],
    [500, 'goes on'],
  ],
  ['does not respond in time', () => undefined, [403, 'goes on'], [500, 'goes on']],
  [
    'begins a response and does not end it in time',
    (_question, response) => void response.write('{'),
    [403, 'goes on'],
    [500, 'goes on'],
  ],
];

describe('webhook middleware', function () {
  this.timeout(120_000);
  let server: WebhookServer;
  const opened: ProxyMiddleware[] = [];
  let logger = createRecordingLogger();
  beforeEach(async () => {
    server = await openWebhookServer();
    logger = createRecordingLogger();
  });
  afterEach(async () => {
    for (const instance of opened.splice(0)) await instance.close?.();
    await server.close();
  });

  async function open(
    kind: keyof typeof KINDS,
    webhooks: readonly Partial<WebhookConfig>[],
    secrets: Readonly<Record<string, string>> = {},
  ): Promise<ProxyMiddleware> {
    const context = createTestProxyContext({ logger, secret: (name) => secrets[name] ?? '' });
    const config = {
      webhooks: webhooks.map((webhook, index) => ({
        ...PLAIN,
        name: `hook-${index}`,
        url: server.url,
        ...webhook,
      })),
    };
    const instance = await KINDS[kind].create(config, context);
    opened.push(instance);
    return instance;
  }

  for (const [title, answer, ...expected] of OUTCOMES) {
    it(`applies the failure policy, or the decision, for a webhook that ${title}`, async () => {
      server.answer = answer;
      const results = await Promise.all(
        (['validating', 'mutating'] as const).map((kind) =>
          Promise.all(
            (['fail', 'ignore'] as const).map(async (failurePolicy) =>
              outcomeOf(await ask(await open(kind, [{ failurePolicy, timeout: '1s' }]))),
            ),
          ),
        ),
      );
      expect(results).to.deep.equal(expected);
      expect(JSON.stringify(logger.lines.filter(({ level }) => level !== 'info'))).not.to.include('hush');
    });
  }

  it('applies the failure policy when the webhook is unreachable', async () => {
    await server.close();
    const outcomes = [];
    for (const failurePolicy of ['fail', 'ignore'] as const) {
      for (const kind of ['validating', 'mutating'] as const) {
        outcomes.push(outcomeOf(await ask(await open(kind, [{ failurePolicy }]))));
      }
    }
    expect(outcomes).to.deep.equal([403, 500, 'goes on', 'goes on']);
    expect(logger.lines.map(({ fields }) => fields)).to.deep.include({
      webhook: 'hook-0',
      failurePolicy: 'ignore',
      why: 'the request failed: ECONNREFUSED',
    });
  });

  it('applies the failure policy when the proxy closes during the call', async () => {
    const asked = new Promise<void>((resolve) => {
      server.answer = () => resolve();
    });
    const instance = await open('validating', [{}]);
    const answer = ask(instance);
    await asked;
    await instance.close?.();
    expect(outcomeOf(await answer)).to.equal(403);
  });

  it('refuses to send more than 1 MiB', async () => {
    const large = TEXT.replace('refund', 'ü'.repeat(512 * 1024));
    for (const kind of ['validating', 'mutating'] as const) {
      expect(await ask(await open(kind, [{ failurePolicy: 'ignore' }]), large)).to.deep.equal({
        refuse: { message: 'Request body too large', status: 413, code: -32600 },
      });
    }
    expect(server.received).to.deep.equal([]);
  });

  it('logs the reason of a denial, truncated, and hides it from the client', async () => {
    server.answer = allow({ allowed: false, code: 7, reason: 'hush', message: 'h'.repeat(10_000) });
    const verdict = await ask(await open('validating', [{}]));
    expect(verdict).to.deep.equal({
      refuse: { message: 'Request denied by policy', status: 403, code: 403 },
    });
    const [line] = logger.lines;
    expect(line?.fields).to.deep.equal({ webhook: 'hook-0', because: `7: hush: ${'h'.repeat(190)}…` });
  });

  it('calls several webhooks in turn, each with the result of the one before, unchanged parts byte for byte', async () => {
    const patches = [
      [],
      [
        {
          op: 'move',
          from: '/mcp_request/params/arguments/amount',
          path: '/mcp_request/params/arguments/sum',
        },
        { op: 'add', path: '/mcp_request/params/_meta', value: { big: 9007199254740993n } },
      ],
      [{ op: 'replace', path: '/mcp_request/params/name', value: 'pay' }],
    ];
    server.answer = (question, response) => {
      const patch = patches.shift() ?? [];
      const json = JSON.stringify(patch, (_key, value: unknown) =>
        typeof value === 'bigint' ? `#${value}#` : value,
      );
      response.end(
        `{"version":"v0.1.0","uid":"${question.uid}","allowed":true,"patch_type":"json_patch","patch":${json.replaceAll(/"#(\d+)#"/g, '$1')}}`,
      );
    };
    const verdict = await ask(await open('mutating', [{}, {}, {}]));
    expect(verdict).to.deep.equal({
      change: [
        { path: ['params', 'name'], json: '"pay"' },
        { path: ['params', 'arguments', 'amount'], json: undefined },
        { path: ['params', 'arguments', 'sum'], json: '1.0' },
        { path: ['params', '_meta'], json: '{"big":9007199254740993}' },
      ],
      by: ['hook-1', 'hook-2'],
    });
    const seen = server.received.map(({ body }) => /"mcp_request":(.*),"context"/.exec(body)?.[1]);
    expect(seen).to.deep.equal([
      TEXT,
      TEXT,
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"refund","arguments":{"sum":1.0},"_meta":{"big":9007199254740993}}}',
    ]);
  });

  it('does not call a webhook after a denial', async () => {
    server.answer = allow({ allowed: false });
    await ask(await open('validating', [{}, {}]));
    expect(server.received).to.have.length(1);
  });

  it('sends the message, the caller, the workload, and its own origin', async () => {
    const claims = {
      sub: 'u-19',
      email: 'rita@acme.example',
      groups: ['ops', 7],
      tsid: 'internal',
      act: { sub: 'agent', act: { iss: 'https://id.acme.example', sub: 'bot' } },
    };
    const instance = await open('validating', [{ hmacSecret: 'key,target=hmac', compat: true }], {
      'key,target=hmac': 'hunter2',
    });
    await ask(instance, TEXT, { subject: 'u-19', claims, user: 'Rita' });
    const [question] = server.received;
    const { uid, timestamp, mcp_request: _request, ...body } = JSON.parse(question?.body ?? '');
    expect(uid).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Date(timestamp).toISOString()).to.equal(timestamp);
    expect(body).to.deep.equal({
      version: 'v0.1.0',
      principal: {
        sub: 'u-19',
        name: 'Rita',
        email: 'rita@acme.example',
        groups: ['ops'],
        claims: { sub: 'u-19', email: 'rita@acme.example', groups: ['ops', 7], act: claims.act },
        delegation: {
          chain: [{ sub: 'agent' }, { iss: 'https://id.acme.example', sub: 'bot' }],
          truncated: false,
          omitted: 0,
          malformed: false,
        },
      },
      context: { server_name: 'test-workload', source_ip: '[::1]:51144', transport: 'stdio' },
    });
    expect(question?.body).to.include(`"mcp_request":${TEXT},"context"`).and.not.to.include('s3cr3t');
    const { 'x-portolan-timestamp': at = '', 'x-portolan-signature': signature } = question?.headers ?? {};
    const expected = createHmac('sha256', 'hunter2')
      .update(`${String(at)}.${question?.body}`)
      .digest('hex');
    expect(signature).to.equal(`sha256=${expected}`);
    expect(Math.abs(Number(at) - Date.parse(timestamp) / 1000)).to.be.lessThan(1);
    expect(question?.headers['x-toolhive-signature']).to.equal(signature);
    expect(question?.headers['x-toolhive-timestamp']).to.equal(at);
    expect(question?.headers).not.to.have.property('authorization');
  });

  it('sends no signature without a secret, and no principal for an anonymous caller', async () => {
    await ask(await open('validating', [{}]));
    const [question] = server.received;
    expect(Object.keys(question?.headers ?? {}).filter((name) => name.startsWith('x-'))).to.deep.equal([]);
    expect(JSON.parse(question?.body ?? '').principal).to.equal(null);
  });

  describe('files', () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'portolan-webhooks-'));
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    it('trims the line break at the end of the secret', async () => {
      const file = path.join(folder, 'key');
      await writeFile(file, 'hunter2\n');
      await ask(await open('validating', [{ hmacSecret: file }]));
      const [question] = server.received;
      const at = String(question?.headers['x-portolan-timestamp']);
      const expected = createHmac('sha256', 'hunter2').update(`${at}.${question?.body}`).digest('hex');
      expect(question?.headers['x-portolan-signature']).to.equal(`sha256=${expected}`);
      expect(question?.headers).not.to.have.property('x-toolhive-signature');
    });

    const faults: readonly (readonly [
      title: string,
      webhook: (file: string) => Partial<WebhookConfig>,
      code: string,
    ])[] = [
      ['a secret file that does not exist', (file) => ({ hmacSecret: `${file}-not` }), 'ERR_WEBHOOK_FILE'],
      ['an empty secret file', (file) => ({ hmacSecret: file }), 'ERR_WEBHOOK_FILE'],
      [
        'a CA bundle without a certificate',
        () => ({ tls: { insecureSkipVerify: true, caBundle: import.meta.filename } }),
        'ERR_WEBHOOK_FILE',
      ],
      [
        'a client certificate and a key that do not match',
        () => ({
          tls: {
            insecureSkipVerify: true,
            clientCertificate: import.meta.filename,
            clientKey: import.meta.filename,
          },
        }),
        'ERR_WEBHOOK_FILE',
      ],
      ['an empty secret of the store', () => ({ hmacSecret: 'key' }), 'ERR_WEBHOOK_FILE'],
    ];
    for (const [title, webhook, code] of faults) {
      it(`throws an error for ${title}, and opens no webhook`, async () => {
        const file = path.join(folder, 'empty');
        await writeFile(file, '\n');
        const fault: unknown = await open('validating', [{}, webhook(file)]).catch((error: unknown) => error);
        expect(fault).to.have.property('code', code);
      });
    }
  });
});

const PLAIN: WebhookConfig = {
  name: 'hook',
  url: '',
  timeout: '10s',
  failurePolicy: 'fail',
  tls: { insecureSkipVerify: true },
  compat: false,
};

function raw(body: (uid: string) => string): Answering {
  return ({ uid }, response) => response.end(body(uid));
}

function status(code: number, answer: Answering): Answering {
  return (question, response) => {
    response.statusCode = code;
    answer(question, response);
  };
}

async function ask(
  instance: ProxyMiddleware,
  text = TEXT,
  caller?: Identity,
): Promise<ClientVerdict | undefined | void> {
  const { method, params } = JSON.parse(text);
  const message: ClientMessage = { kind: 'request', text, id: '9007199254740993', method, params };
  const request: ClientExchange['request'] = {
    method: 'POST',
    path: '/mcp',
    query: '',
    headers: { authorization: 'Bearer s3cr3t' },
    remoteAddress: '::1',
    remotePort: 51_144,
    receivedAt: new Date(0),
    caller,
    program: undefined,
  };
  return await instance.onMessage?.(message, {
    request,
    caller,
    era: 'legacy',
    sessionId: undefined,
    isBatch: false,
    message,
  });
}

function outcomeOf(verdict: ClientVerdict | undefined | void): Expected {
  if (verdict === undefined) return 'goes on';
  if ('change' in verdict) return 'changed';
  return 'refuse' in verdict ? (verdict.refuse.status ?? 0) : 0;
}
