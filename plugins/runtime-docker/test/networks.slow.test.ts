import { expect } from 'chai';
import { createNetwork } from './support/engine-by-hand.ts';
import { useEngine } from './support/test-engine.ts';

describe('listNetworks and removeNetwork', function () {
  this.timeout(180_000);
  const engine = useEngine();

  it('describe a network and remove it', async () => {
    const name = engine.name();
    const id = await createNetwork(engine.runtime, name, engine.labels);
    const [found] = await engine.runtime.listNetworks(engine.labels);
    expect(found).to.include({ id, name, driver: 'bridge', internal: true });
    expect(found?.labels).to.deep.equal(engine.labels);
    expect(found?.subnets).to.have.lengthOf(1);
    await engine.runtime.removeNetwork(id);
    await engine.runtime.removeNetwork(id);
    expect(await engine.runtime.listNetworks(engine.labels)).to.deep.equal([]);
  });
});

describe('joined network', function () {
  this.timeout(180_000);
  const engine = useEngine();

  it('is shared by both containers, and has only a loopback interface', async () => {
    const serve =
      "require('node:net').createServer((socket) => socket.end('hello')).listen(8080, '127.0.0.1', () => console.log('ready'))";
    const gateway = engine.spec(serve, { network: { mode: 'none', dns: ['127.0.0.1'] }, stdin: 'once' });
    await engine.withContainer(gateway, async (id) => {
      const attachment = await engine.runtime.attachContainer(id);
      await engine.runtime.startContainer(id);
      for await (const chunk of attachment.stdout) if (Buffer.from(chunk).includes('ready')) break;
      const script = `
        const names = Object.keys(require('node:os').networkInterfaces()).join();
        const servers = require('node:dns').getServers().join();
        require('node:net').connect(8080, '127.0.0.1').on('data', (data) => console.log(String(data), names, servers));`;
      const { output } = await engine.runToEnd(
        engine.spec(script, { network: { mode: 'joined', container: id } }),
      );
      expect(output).to.equal('hello lo 127.0.0.1');
      attachment.close();
    });
  });
});
