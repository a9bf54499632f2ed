import { readdir } from 'node:fs/promises';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { answerSession } from '../../../../packages/proxy/test/support/session-script.ts';
import { WAYS } from '../../../../packages/proxy/test/support/session-ways.ts';
import { limitMs, trials } from '../../../support/soak.ts';
import { useFaultStage } from './support/fault-stage.ts';

const AT_ONCE = 4;
/** Time after which an abandoned call ends (ten seconds) and its session ages. */
const AGED = { withinMs: 60_000 };

/** Script of a server for an image with Node.js only. */
const SERVER = `${answerSession.toString()}
const say = (message) => void process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
require('readline').createInterface({ input: process.stdin })
  .on('line', (line) => answerSession(JSON.parse(line), { say, exit: () => process.exit(1) }))
  .on('close', () => process.exit(0));`;

describe('sessions that end in every way, each in its own container', function () {
  this.timeout(limitMs(300_000));
  const stage = useFaultStage();

  interface Held {
    readonly gateways: number;
    readonly networks: number;
    readonly files: number;
  }

  /** Waits until only the server for the next session remains, and returns the resources of the workload. */
  async function held(name: string): Promise<Held> {
    const supervisor = await stage.supervisorOf(name);
    return await eventually(async () => {
      const containers = await stage.containers(name);
      const count = (role: string): number => containers.filter((one) => one.role === role).length;
      const networks = await stage.user.runtime.listNetworks({ 'portolan.dev/name': name });
      const files = await readdir(`/proc/${supervisor}/fd`);
      expect(count('session')).to.be.at.most(1);
      return { gateways: count('gateway'), networks: networks.length, files: files.length };
    }, AGED);
  }

  it('leave no container, network, socket or file', async () => {
    const name = stage.name();
    const words = stage.words(name, '--session-ttl', '3s', '--', 'node', '-e', SERVER);
    const run = await stage.begin(words, { PORTOLAN_PROXY_REQUEST_TIMEOUT: '10s' }).finished;
    const url = new URL(run.stdout.trim());
    const before = await held(name);
    const left = [...fc.sample(fc.constantFrom(...Object.keys(WAYS)), trials({ short: 6, long: 200 }))];
    const openAndDrop = async (): Promise<void> => {
      for (let way = left.pop(); way !== undefined; way = left.pop()) await WAYS[way]?.(url);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, openAndDrop));
    await eventually(async () => {
      const { gateways, networks, files } = await held(name);
      expect([gateways, networks]).to.deep.equal([before.gateways, before.networks]);
      // The number of idle connections to the engine varies.
      expect(files).to.be.at.most(before.files + 4);
    }, AGED);
    await stage.user.removeAll(name);
  });
});
