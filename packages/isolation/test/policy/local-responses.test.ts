import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readEgressRules } from '@portolan/outbound';
import type { EgressEvent } from '../../src/policy/egress-event.ts';
import { EgressJudge } from '../../src/policy/egress-judge.ts';
import { EgressProxy } from '../../src/proxy/egress-proxy.ts';
import { OwnAnswers } from '../../src/policy/local-responses.ts';
import { exchangeRaw } from '../stage/raw-request.ts';

const NAME = 'credentials.portolan.internal';

describe('OwnAnswers', () => {
  let folder: string;
  let proxy: EgressProxy;
  let events: EgressEvent[];

  async function start(answers: OwnAnswers | undefined): Promise<void> {
    const context = {
      readEngineNetworks: () => Promise.resolve({ defaultGateway: undefined, gateways: [], subnets: [] }),
      readHostAddresses: () => Promise.resolve([]),
      lookup: () => Promise.resolve([]),
    };
    const rules = readEgressRules({ outbound: { allow_host: ['a.example'] } });
    const judge = new EgressJudge({ rules, allowContainerGateway: false, context });
    const socket = path.join(folder, 'egress.sock');
    proxy = await EgressProxy.open({
      workload: 'notes',
      socket,
      judge,
      answers,
      onEvent: (one) => events.push(one),
    });
  }
  const ask = async (line: string): Promise<string> =>
    await exchangeRaw(
      { path: path.join(folder, 'egress.sock') },
      `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
  const answers = (): OwnAnswers => new OwnAnswers(new Map([[NAME, { rule: 'own', text: 'export A=1\n' }]]));

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'po-'));
    events = [];
  });
  afterEach(async () => {
    await proxy.close();
    await rm(folder, { recursive: true });
  });

  it('responds to the first GET for the name in any letter case, and reports it as allowed', async () => {
    await start(answers());
    const said = await ask('GET http://CREDENTIALS.portolan.internal./any?path');
    expect(said)
      .to.match(/^HTTP\/1\.1 200 /)
      .and.match(/export A=1\n/);
    expect(await ask(`GET http://${NAME}/`))
      .to.match(/^HTTP\/1\.1 403 /)
      .and.not.include('export');
    expect(events.map(({ host, port, allowed, rule }) => [host, port, allowed, rule])).to.deep.equal([
      [NAME, 80, true, 'own'],
      [NAME, 80, false, 'answered-before'],
    ]);
  });

  const refused = [
    `POST http://${NAME}/`,
    `HEAD http://${NAME}/`,
    `GET http://${NAME}:8080/`,
    `GET https://${NAME}/`,
    `GET http://x.${NAME}/`,
    `CONNECT ${NAME}:80`,
  ];
  for (const line of refused) {
    it(`refuses ${line}, and still responds to the intended request afterwards`, async () => {
      await start(answers());
      expect(await ask(line))
        .to.match(/^HTTP\/1\.1 4\d\d /)
        .and.not.include('export');
      expect(await ask(`GET http://${NAME}/`)).to.match(/^HTTP\/1\.1 200 /);
    });
  }

  it('without local responses › refuses the name like any other name', async () => {
    await start(undefined);
    expect(await ask(`GET http://${NAME}/`)).to.match(/^HTTP\/1\.1 403 Refused: .* is not in allow_host/);
  });
});
