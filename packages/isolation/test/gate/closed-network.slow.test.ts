import { expect } from 'chai';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { NetworkPermissions } from '@portolan/outbound';
import { publishPort } from '../../src/gate/publish-port.ts';
import { PROXY_ENVIRONMENT } from '../../src/relay/relay-program.ts';
import { ingressSocket } from '../../src/gate/runtime-folder.ts';
import { makeCertificate } from '../../../../test/support/certificate.ts';
import { findStageObstacle, openStage, type Stage, type StageSettings } from '../stage/open-stage.ts';
import { skipSuite } from '../../../../test/support/skip-suite.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'public.example': ['203.0.113.7'],
  'other.example': ['203.0.113.8'],
  'a.wild.example': ['203.0.113.7'],
  'lan.example': ['10.20.30.40'],
  'six.example': ['2001:db8::7'],
  'dead-first.example': ['2001:db8::dead', '203.0.113.7'],
  'own.example': ['198.51.100.1'],
  'idle.example': ['172.17.0.1'],
  'mixed.example': ['127.0.0.1', '198.51.100.1', '172.18.0.5', '203.0.113.7'],
  'container.example': ['172.18.0.5'],
  'metadata.example': ['169.254.169.254'],
  '*.many.example': ['203.0.113.7'],
};

const LIST: NetworkPermissions = {
  outbound: {
    allow_host: ['public.example', '.wild.example', 'mixed.example', 'container.example'],
    allow_port: [443, 80],
  },
};

describe('network namespace of an isolated workload', function () {
  this.timeout(180_000);
  let base: string;
  let stage: Stage | undefined;
  let settings: Pick<StageSettings, 'certificate' | 'key' | 'names'>;

  before(async function () {
    const obstacle = await findStageObstacle();
    if (obstacle !== undefined) skipSuite(this, obstacle);
    base = await mkdtemp(path.join(tmpdir(), 'pn-'));
    const { file } = await makeCertificate(base, [...Object.keys(NAMES), 'host.docker.internal']);
    settings = { certificate: file, key: path.join(base, 'key.pem'), names: NAMES };
  });
  after(async () => {
    if (base !== undefined) await rm(base, { recursive: true });
  });

  const withStage = (title: string, more: Partial<StageSettings>, tests: (on: () => Stage) => void): void => {
    describe(title, () => {
      before(async () => {
        const folder = await mkdtemp(path.join(base, 's-'));
        stage = await openStage({ ...settings, folder, ingress: [9000], ...more });
      });
      after(async () => {
        await stage?.end();
        stage = undefined;
      });
      tests(() => {
        if (stage === undefined) throw new Error('no stage');
        return stage;
      });
    });
  };

  const table = (on: () => Stage, rows: readonly (readonly [string, RegExp])[]): void => {
    it('permits exactly the connections that the table of this test lists', async () => {
      const results = await on().probe(rows.map(([attempt]) => attempt));
      const wrong = rows.flatMap(([attempt, expected], at) =>
        expected.test(results[at] ?? '') ? [] : [`${attempt}: ${results[at]}; expected ${expected}`],
      );
      expect(wrong.join('\n')).to.equal('');
    });
  };

  const NOWHERE = /^(ENETUNREACH|EADDRNOTAVAIL|EHOSTUNREACH)$/;
  /** Direct connections, which fail with every profile because there is no route out. */
  const direct: readonly (readonly [string, RegExp])[] = [
    ...[
      '203.0.113.7',
      '10.20.30.40',
      '169.254.169.254',
      '172.17.0.1',
      '172.18.0.1',
      '172.18.0.5',
      '198.51.100.1',
      '198.51.100.2',
      '2001:db8::7',
      'fd51::1',
    ].flatMap((host) => [
      [`tcp ${host} 8080`, NOWHERE] as const,
      [`tcp ${host} 80`, NOWHERE] as const,
      [`udp ${host} 8080`, NOWHERE] as const,
      [`ping ${host}`, /^(ended with [12]|no ping)$/] as const,
    ]),
    ['dns public.example A 203.0.113.7', /^(ETIMEOUT|ECONNREFUSED)$/],
    ['dns public.example A 172.17.0.1', /^(ETIMEOUT|ECONNREFUSED)$/],
    ['tcp 127.0.0.1 8080', /^ECONNREFUSED$/],
    ['tcp 127.80.4.9 443', /^ECONNREFUSED$/],
  ];
  const never = [
    'host.docker.internal',
    '172.17.0.1',
    '172.18.0.1',
    '0xac110001',
    '[::ffff:172.17.0.1]',
    '198.51.100.1',
    '3325256705',
    '[fd51::1]',
    '127.0.0.1',
    'localhost',
    '0',
    '[::1]',
    '169.254.169.254',
    '100.100.100.200',
    '[64:ff9b::a9fe:a9fe]',
    '172.18.0.5',
    'own.example',
    'idle.example',
    'metadata.example',
  ];
  const refusedByProxy = never.flatMap((host) =>
    [80, 443, 8080].flatMap((port) => [
      [`connect ${host} ${port}`, /^HTTP\/1.1 (403|502) Refused: /] as const,
      [`get ${host} ${port}`, /^HTTP\/1.1 (403|502) Refused: /] as const,
    ]),
  );

  const nothingOutside = (on: () => Stage): void => {
    it('lets no connection reach the host, another container or the metadata address', () => {
      expect(on().hits.filter((hit) => !/^outside \w+ (::ffff:203|::ffff:10|2001)/.test(hit))).to.deep.equal(
        [],
      );
    });
  };

  withStage('under the profile none', { network: { outbound: {} } }, (on) => {
    table(on, [
      ...direct,
      ...refusedByProxy,
      ['dns public.example A', /^ENOTFOUND$/],
      ['dns public.example AAAA', /^ENOTFOUND$/],
      ['dns secret.data.public.example TXT', /^ENOTFOUND$/],
      ['https public.example 443', /^ENOTFOUND$/],
      [
        'connect public.example 443',
        /^HTTP\/1.1 403 Refused: public.example is refused: the permission profile lets nothing out$/,
      ],
      ['get 203.0.113.7 80', /^HTTP\/1.1 403 Refused: /],
    ]);
    it('reports a DNS query for a name once, for any number of record types', async () => {
      await on().probe(['dns twice.example A', 'dns twice.example AAAA', 'dns twice.example TXT']);
      expect(on().events.filter(({ host }) => host === 'twice.example')).to.have.lengthOf(1);
    });
    it('lets no connection out, and reports each queried name', () => {
      expect(on().hits).to.deep.equal([]);
      expect(on().events.filter(({ allowed }) => allowed)).to.deep.equal([]);
      const names = on().events.flatMap(({ method, host, rule }) =>
        method === 'DNS' ? [`${host} ${rule}`] : [],
      );
      expect(names).to.include.members([
        'public.example nothing-allowed',
        'secret.data.public.example nothing-allowed',
      ]);
    });
  });

  withStage('under the profile network', {}, (on) => {
    table(on, [
      ...direct,
      ...refusedByProxy,
      ['dns public.example A', /^\["127\.80\.\d+\.\d+"\]$/],
      ['dns public.example AAAA', /^ENODATA$/],
      ['dns public.example TXT', /^ENODATA$/],
      ['dns host.docker.internal A', /^ENOTFOUND$/],
      ['https public.example 443', /^200 outside public.example$/],
      ['https six.example 443', /^200 outside six.example$/],
      ['https dead-first.example 443', /^200 outside dead-first.example$/],
      ['http lan.example 80', /^200 outside lan.example$/],
      ['connect 203.0.113.7 8080', /^HTTP\/1.1 200 /],
      ['connect 10.20.30.40 8080', /^HTTP\/1.1 200 /],
      ['get [2001:db8::7] 80', /^HTTP\/1.1 200 OK$/],
      ['dns unknown.example A', /^ENOTFOUND$/],
      ['http own.example 80', /^ENOTFOUND$/],
      ['https metadata.example 443', /^ENOTFOUND$/],
      ['http container.example 80', /^ENOTFOUND$/],
      ['tcp public.example 8080', /^ECONNREFUSED$/],
      ['connect 192.168.77.1 8080', /^HTTP\/1.1 403 Refused: 192.168.77.1 leads to this host/],
      ['connect 192.0.2.9 8080', /^HTTP\/1.1 403 Refused: 192.0.2.9 leads to this host/],
      ['connect [2001:db8:9::5] 8080', /^HTTP\/1.1 403 Refused: 2001:db8:9::5 leads to this host/],
    ]);
    nothingOutside(on);
    it('works with programs that use the proxy', async () => {
      const environment = { ...PROXY_ENVIRONMENT, NODE_USE_ENV_PROXY: '1' };
      const found = await on().probe(
        ['fetch https://public.example/', 'fetch http://lan.example/', 'fetch http://own.example/'],
        environment,
      );
      expect(found.slice(0, 2)).to.deep.equal(['200 outside public.example', '200 outside lan.example']);
      expect(found[2]).to.not.match(/^200/); // undici hides the response of the proxy
      const refused = on().events.filter(({ host }) => host === 'own.example');
      expect(refused.at(-1)).to.include({ method: 'CONNECT', allowed: false, rule: 'address-this-host' });
    });
    it('assigns at most 1024 synthetic addresses', async () => {
      const asked = Array.from({ length: 1100 }, (_, at) => `n${at}.many.example`);
      const found: string[] = [];
      for (let at = 0; at < asked.length; at += 100) {
        found.push(...(await on().probe(asked.slice(at, at + 100).map((name) => `dns ${name} A`))));
      }
      expect(found.filter((one) => one.startsWith('["127.80.')).length).to.be.within(900, 1024);
      expect(found.at(-1)).to.equal('ESERVFAIL');
      expect(new Set(found.slice(0, 900)).size).to.equal(900);
    });
  });

  withStage('under an allow-list', { network: LIST }, (on) => {
    table(on, [
      ...direct,
      ...refusedByProxy,
      ['dns other.example A', /^ENOTFOUND$/],
      ['dns PUBLIC.example A', /^\["127\.80\.\d+\.\d+"\]$/],
      ['https public.example 443', /^200 outside public.example$/],
      ['http a.wild.example 80', /^200 outside a.wild.example$/],
      ['https mixed.example 443', /^200 outside mixed.example$/],
      ['https other.example 443', /^ENOTFOUND$/],
      ['https lan.example 443', /^ENOTFOUND$/],
      ['tcp public.example 8080', /^ECONNREFUSED$/],
      ['http container.example 80', /^ECONNRESET$/],
      [
        'connect public.example 8080',
        /^HTTP\/1.1 403 Refused: public.example:8080 is refused: the port is not in allow_port$/,
      ],
      ['connect other.example 443', /^HTTP\/1.1 403 Refused: other.example is not in allow_host$/],
      ['connect 203.0.113.7 443', /^HTTP\/1.1 403 Refused: 203.0.113.7 is not in allow_host$/],
      ['get other.example 80', /^HTTP\/1.1 403 Refused: /],
    ]);
    nothingOutside(on);
    it('rejects an allowed name when its TLS handshake has another name', async () => {
      const [address = ''] = await on().probe(['dns public.example A']);
      const child = on().spawn(
        'openssl',
        's_client',
        '-connect',
        `${address.slice(2, -2)}:443`,
        '-servername',
        'other.example',
      );
      child.stdout?.resume();
      let said = '';
      child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
      await once(child, 'close');
      expect(said).to.match(/unrecognized name/);
      await on().probe([]);
      expect(on().events.at(-1)).to.include({
        allowed: false,
        rule: 'server-name-differs',
        host: 'public.example',
      });
    });
    it('responds to DNS queries over TCP, and with an error code to malformed ones', async () => {
      const program = `
        const { connect } = require('node:net');
        const question = Buffer.from('0001' + '0100' + '0001000000000000' + '067075626c6963076578616d706c6500' + '00010001', 'hex');
        const broken = Buffer.from('0002' + '0100' + '0001000000000000' + 'c00c' + '00010001', 'hex');
        const socket = connect(53, '127.0.0.1');
        for (const one of [question, broken]) socket.write(Buffer.concat([Buffer.from([0, one.length]), one]));
        let all = '';
        socket.on('data', (chunk) => { all += chunk.toString('hex'); if (all.length > 2 * (2 + question.length + 16 + 2 + 11)) { console.log(all); process.exit(); } });`;
      const child = on().spawn(process.execPath, '-e', program);
      let said = '';
      child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
      await once(child, 'close');
      expect(said).to.match(
        /^0030000185800001000100000000067075626c6963076578616d706c650000010001c00c000100010000003c00047f50/,
      );
      expect(said).to.match(/000c000285810000000000000000\n$/);
    });
    it('works again when a new supervisor opens the gate, and permits nothing in between', async () => {
      await on().tell('close');
      expect(
        await on().probe([
          'https public.example 443',
          'connect public.example 443',
          'dns fresh.wild.example A',
        ]),
      ).to.deep.equal(['ECONNRESET', 'ECONNRESET', 'ESERVFAIL']);
      await on().tell('reopen');
      expect(await on().probe(['https public.example 443'])).to.deep.equal(['200 outside public.example']);
    });
    it('keeps the memory of the relay below 40 MB', async () => {
      const text = await readFile(`/proc/${on().relayProcess}/smaps_rollup`, 'utf8');
      const dirty = Number(/^Private_Dirty:\s+(\d+) kB/m.exec(text)?.[1]);
      expect(dirty).to.be.within(1, 40_000);
    });
  });

  withStage(
    'with an address of a container named',
    { network: { outbound: { allow_host: ['container.example', '172.18.0.5'] } }, ingress: [443] },
    (on) => {
      table(on, [
        ['http container.example 80', /^200 container container.example$/],
        // The port belongs to the server of the workload, which may listen on all addresses.
        ['tcp container.example 443', /^ECONNREFUSED$/],
        ['connect 172.18.0.5 8080', /^HTTP\/1.1 200 /],
        ['connect 172.18.0.1 8080', /^HTTP\/1.1 403 Refused: /],
      ]);
    },
  );

  withStage(
    'with the container gateway allowed',
    { network: { outbound: {} }, allowContainerGateway: true },
    (on) => {
      table(on, [
        ...direct,
        ['http host.docker.internal 80', /^200 host host.docker.internal$/],
        ['https host.docker.internal 443', /^200 host host.docker.internal$/],
        ['tcp host.docker.internal 8080', /^host$/],
        ['tcp host.docker.internal 8081', /^ECONNREFUSED$/],
        ['tcp 172.17.0.1 8080', NOWHERE],
        ['connect 172.17.0.1 8080', /^HTTP\/1.1 200 /],
        ['connect 172.18.0.1 8080', /^HTTP\/1.1 200 /],
        ['connect 198.51.100.1 8080', /^HTTP\/1.1 403 Refused: /],
        ['connect own.example 8080', /^HTTP\/1.1 403 Refused: /],
        ['connect 127.0.0.1 8080', /^HTTP\/1.1 403 Refused: /],
      ]);
      it('reaches the host at the gateway address of the default bridge, never at loopback', () => {
        expect(new Set(on().hits)).to.deep.equal(
          new Set(['host http ::ffff:172.17.0.1', 'host tcp ::ffff:172.17.0.1']),
        );
      });
    },
  );

  withStage('with a policy engine that knows no address of its host', { isBlind: true }, (on) => {
    table(on, [
      ['connect own.example 8080', /^HTTP\/1.1 403 Refused: the connection ended on this machine/],
      ['get 198.51.100.1 80', /^HTTP\/1.1 403 Refused: the connection ended on this machine/],
      ['connect [fd51::1] 8080', /^HTTP\/1.1 403 Refused: the connection ended on this machine/],
      ['connect 203.0.113.7 8080', /^HTTP\/1.1 200 /],
    ]);
  });

  withStage('without a way out', { network: 'off', ingress: [9000, 9001] }, (on) => {
    table(on, [
      ...direct,
      ['tcp 127.0.0.1 3128', /^ECONNREFUSED$/],
      ['dns public.example A', /^(ECONNREFUSED|ETIMEOUT)$/],
    ]);

    it('forwards to ports of the workload on any loopback address', async () => {
      const program = `
        const { createServer } = require('node:http');
        const serve = (word) => createServer((q, s) => q.pipe(s.setHeader('X-Word', word)));
        serve('four').listen(9000, '127.0.0.1', () => serve('six').listen(9001, '::1', () => console.log('up')));`;
      const child = on().spawn(process.execPath, '-e', program);
      await once(child.stdout ?? child, 'data');
      try {
        for (const [port, word] of [
          [9000, 'four'],
          [9001, 'six'],
        ] as const) {
          const request = get({ socketPath: path.join(on().folder, ingressSocket(port)), agent: false });
          const [response] = await once(request, 'response');
          expect(response.headers['x-word']).to.equal(word);
          response.resume();
          await once(response, 'close');
        }
        const published = await publishPort('127.0.0.1', 0, path.join(on().folder, ingressSocket(9000)));
        const request = get({ host: '127.0.0.1', port: published.port, agent: false });
        const [response] = await once(request, 'response');
        expect(response.headers['x-word']).to.equal('four');
        response.resume();
        await once(response, 'close');
        await published.close();
      } finally {
        child.kill('SIGKILL');
        await once(child, 'close');
      }
    });

    it('closes a connection to a port without a listener', async () => {
      const socket = connect(path.join(on().folder, ingressSocket(9000)));
      await new Promise((resolve) =>
        socket
          .on('error', () => undefined)
          .resume()
          .once('close', resolve),
      );
    });
  });
});
