import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { promisify } from 'node:util';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { provideEverythingImage } from '../../support/everything-image.ts';
import { WorkloadUser } from '../../support/workload-user.ts';

const run = promisify(execFile);
const NAMES = ['host.docker.internal', 'host.containers.internal', 'gateway.docker.internal'];

/** Program that connects to its argument and prints the received text, without support for proxies. */
const CONNECT = `const [host, port] = process.argv.slice(1);
require('net').connect(port, host)
  .on('data', (said) => { console.log(String(said)); process.exit(); })
  .on('error', ({ code }) => { console.log(code); process.exit(); })
  .on('close', () => { console.log('closed'); process.exit(); });`;

describe('--allow-container-gateway', function () {
  this.timeout(180_000);
  let user: WorkloadUser;
  const services: Server[] = [];

  before(async function () {
    user = await WorkloadUser.open(this);
    const image = await provideEverythingImage();
    for (const [name, ...flags] of [['open-gateway', '--allow-container-gateway'], ['closed-gateway']]) {
      const server = ['--transport=streamable-http', '--target-port=3001', image, '--', 'streamableHttp'];
      await user.run(`--name=${name}`, ...flags, ...server);
    }
  });
  after(async () => {
    for (const service of services) service.close();
    await user?.close();
  });

  /** Opens a service of this host that sends its name first, like a database. */
  async function openService(says: string): Promise<number> {
    const service = createServer((client) => {
      client.on('error', () => client.destroy()).end(says);
    });
    services.push(service);
    await once(service.listen(0, '0.0.0.0'), 'listening');
    const address = service.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  async function connectFrom(workload: string, host: string, port: number): Promise<string> {
    const filters = [
      '--filter',
      `label=portolan.dev/name=${workload}`,
      '--filter',
      'label=portolan.dev/role=server',
    ];
    const { stdout: id } = await run('docker', ['ps', '-q', ...filters]);
    const { stdout } = await run('docker', ['exec', id.trim(), 'node', '-e', CONNECT, host, String(port)]);
    return stdout.trim();
  }

  for (const name of NAMES) {
    it(`opens every TCP port of the host under the name ${name}, including services that start later`, async () => {
      expect(await connectFrom('open-gateway', name, await openService('first'))).to.equal('first');
      const later = await openService('later');
      await eventually(async () => {
        expect(await connectFrom('open-gateway', name, later)).to.equal('later');
      });
    });
  }

  it('refuses a port without a service, and every port without the flag', async () => {
    expect(await connectFrom('open-gateway', 'host.docker.internal', 9)).to.equal('ECONNREFUSED');
    const port = await openService('closed');
    expect(await connectFrom('closed-gateway', 'host.docker.internal', port)).to.equal('ENOTFOUND');
  });

  it('lists the open ports in the plan, and names allow_port', async () => {
    const words = [
      '--allow-container-gateway',
      '--name=planned-gateway',
      '--transport=stdio',
      'portolan-test/node:latest',
    ];
    const plan = await user.done('plan', ...words);
    expect(plan)
      .to.include('host.docker.internal on every TCP port on which a service of this host listens')
      .and.include('allow_port')
      .and.include('172.17.0.1, is open through the proxy variables only');
  });
});
