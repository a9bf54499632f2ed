import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { makeCertificate } from '../../../test/support/certificate.ts';
import { openStore } from '../src/index.ts';
import { rdsTokens } from '../src/store/postgres/rds-tokens.ts';
import { DATABASE_DEFAULTS } from './support/engines.ts';
import { listenForTokens, type TokenListener } from './support/token-listener.ts';

const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: SECRET,
  AWS_SESSION_TOKEN: 'session/token+example==',
};

/** Throws unless the token was signed with the secret, as AWS describes it (Signature Version 4, in the query). */
function requireSigned(token: string, expected: { user: string; host: string; region: string }): void {
  const address = new URL(`https://${token}`);
  const query = address.searchParams;
  expect(address.host).to.equal(expected.host);
  expect(Object.fromEntries(query)).to.include({
    Action: 'connect',
    DBUser: expected.user,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Expires': '900',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Security-Token': ENVIRONMENT.AWS_SESSION_TOKEN,
  });
  const time = query.get('X-Amz-Date') ?? '';
  const scope = `${time.slice(0, 8)}/${expected.region}/rds-db/aws4_request`;
  expect(query.get('X-Amz-Credential')).to.equal(`${ENVIRONMENT.AWS_ACCESS_KEY_ID}/${scope}`);
  const pairs = [...query].filter(([name]) => name !== 'X-Amz-Signature');
  const canonical = pairs
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .toSorted()
    .join('&');
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const request = `GET\n/\n${canonical}\nhost:${expected.host}\n\nhost\n${sha256('')}`;
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${SECRET}`);
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(request)}`).toString('hex');
  expect(query.get('X-Amz-Signature')).to.equal(signature);
}

describe('rdsTokens', () => {
  const to = { hostname: 'db.acme.example', port: 5432 };

  it('signs a token locally for a role and a host', async () => {
    const token = await rdsTokens({ ...to, region: 'eu-central-1', environment: ENVIRONMENT })('app')();
    requireSigned(token, { user: 'app', host: 'db.acme.example:5432', region: 'eu-central-1' });
  });

  it('requests the region from the metadata service until it succeeds, then caches it', async () => {
    const asked: string[] = [];
    let answers = false;
    const service = createServer(({ method, url, headers }, res) => {
      asked.push(`${method} ${url} ${String(headers['x-aws-ec2-metadata-token'] ?? '')}`.trim());
      res.statusCode = answers ? 200 : 503;
      res.end(method === 'PUT' ? 'metadata-token' : 'us-east-2');
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const { port } = service.address() as AddressInfo; // of a listener on TCP
    const endpoint = { AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${port}` };
    const tokens = rdsTokens({ ...to, region: 'detect', environment: { ...ENVIRONMENT, ...endpoint } });
    const error: unknown = await tokens('app')().catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'ERR_DATABASE_ACCESS', class: 'unavailable' });
    answers = true;
    for (const user of ['app', 'owner'])
      requireSigned(await tokens(user)(), { user, host: 'db.acme.example:5432', region: 'us-east-2' });
    expect(asked.slice(1)).to.deep.equal([
      'PUT /latest/api/token',
      'GET /latest/meta-data/placement/region metadata-token',
    ]);
    await new Promise((resolve) => service.close(resolve));
  });

  it('stops reading an endless response', async () => {
    const service = createServer((_, res) => {
      res.on('error', () => undefined);
      const write = (): void => {
        while (!res.destroyed && res.write('a'.repeat(1024)));
        if (!res.destroyed) res.once('drain', write);
      };
      write();
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const { port } = service.address() as AddressInfo; // of a listener on TCP
    const endpoint = { AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${port}` };
    const tokens = rdsTokens({ ...to, region: 'detect', environment: { ...ENVIRONMENT, ...endpoint } });
    const error: unknown = await tokens('app')().catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'ERR_DATABASE_ACCESS' });
    expect(String((error as Error).cause)).to.include('over 4096 bytes'); // an error, by the line before
    await new Promise((resolve) => service.close(resolve));
  });
});

describe('a database with dynamicAuth.awsRdsIam', () => {
  let folder: string;
  let listener: TokenListener;

  before(async () => {
    folder = await mkdtemp(`${tmpdir()}/portolan-rds-`);
    listener = await listenForTokens(await makeCertificate(folder, ['localhost']));
  });
  after(async () => {
    await listener?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('receives a fresh token for each connection and role over TLS, and no message contains one', async () => {
    const logger = createRecordingLogger();
    const store = await openStore(
      {
        ...DATABASE_DEFAULTS,
        host: '127.0.0.1',
        port: listener.port,
        user: 'app',
        migrationUser: 'owner',
        database: 'registry',
        dynamicAuth: { awsRdsIam: { region: 'eu-central-1' } },
      },
      { directory: folder, environment: ENVIRONMENT, logger, connMaxLifetimeMs: 60_000 },
    );
    const errors: unknown[] = [];
    const passwordsOf = (role: string) =>
      new Set(listener.logins.filter(({ user }) => user === role).map(({ password }) => password));
    const attempt = async (work: () => Promise<unknown>): Promise<void> => {
      await work().catch((error: unknown) => errors.push(error));
    };
    try {
      const one = store.reading.selectFrom('change').selectAll();
      // The time in a token is in seconds, so that several in a row are alike.
      await eventually(async () => {
        await attempt(() => one.execute());
        expect(passwordsOf('app').size).to.equal(2);
      });
      await attempt(() => store.owning.selectFrom('change').selectAll().execute());
    } finally {
      await store.close();
    }
    expect(passwordsOf('owner').size).to.equal(1);
    expect(errors).to.have.length(listener.logins.length);
    for (const { user, password, encrypted } of listener.logins) {
      expect(encrypted).to.equal(true);
      requireSigned(password, { user, host: `127.0.0.1:${listener.port}`, region: 'eu-central-1' });
    }
    for (const error of errors) expect(error).to.have.property('code', 'ERR_DATABASE_ACCESS');
    const told = JSON.stringify([logger.lines, errors.map(String)]);
    for (const secret of ['X-Amz', SECRET]) expect(told).not.to.include(secret);
  });
});
