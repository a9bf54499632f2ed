import dgram from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';
import { expect } from 'chai';
import fc from 'fast-check';
import { hostNotHere } from '../../src/state/state-errors.ts';
import { choosePort, FIRST_PORT, isPortFree, LAST_PORT } from '../../src/state/choose-port.ts';
import { caught } from '../../../../test/support/caught.ts';

const none: ReadonlySet<number> = new Set();
const only =
  (...ports: readonly number[]) =>
  (port: number) =>
    Promise.resolve(ports.includes(port));

describe('choosePort', () => {
  it('takes the asked one, or fails', async () => {
    expect(
      await choosePort({ asked: 80, preferred: 81, host: 'x', kept: none, isFree: only(80, 81) }),
    ).to.equal(80);
    const error = await caught(() => choosePort({ asked: 80, host: 'x', kept: none, isFree: only(81) }));
    expect(error.code).to.equal('ERR_PORT_TAKEN');
    expect(error.message).to.equal('requested proxy port 80 is not available');
  });

  it('takes the asked one also when another workload keeps it', async () => {
    expect(await choosePort({ asked: 80, host: 'x', kept: new Set([80]), isFree: only(80) })).to.equal(80);
  });

  it('takes the preferred one when it is free and not kept', async () => {
    const request = { preferred: 18_080, host: 'x', random: () => 0, isFree: only(18_080, FIRST_PORT) };
    expect(await choosePort({ ...request, kept: none })).to.equal(18_080);
    expect(await choosePort({ ...request, kept: new Set([18_080]) })).to.equal(FIRST_PORT);
    expect(await choosePort({ ...request, kept: none, isFree: only(FIRST_PORT) })).to.equal(FIRST_PORT);
  });

  it('finds the only free port, wherever it is and wherever it begins', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: FIRST_PORT, max: LAST_PORT }).filter((port) => port !== 10_080),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        async (free, start) => {
          expect(
            await choosePort({ host: 'x', kept: none, random: () => start, isFree: only(free) }),
          ).to.equal(free);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('chooses none that clients refuse to connect to, unless it is asked for', async () => {
    const refused: unknown = await fetch('http://127.0.0.1:10080/').catch((error: unknown) => error);
    expect(refused).to.have.nested.property('cause.message', 'bad port');
    const request = { host: 'x', kept: none, isFree: only(10_080) };
    expect((await caught(() => choosePort(request))).code).to.equal('ERR_NO_FREE_PORT');
    expect(await choosePort({ ...request, asked: 10_080 })).to.equal(10_080);
  });

  it('says that no port is free', async () => {
    const error = await caught(() =>
      choosePort({ host: 'x', kept: none, isFree: () => Promise.resolve(false) }),
    );
    expect(error.code).to.equal('ERR_NO_FREE_PORT');
  });

  it('chooses one that can be listened to', async () => {
    const port = await choosePort({ host: '127.0.0.1', kept: none });
    expect(port).to.be.within(FIRST_PORT, LAST_PORT);
    expect(await isPortFree(port, '127.0.0.1')).to.equal(true);
  });
});

describe('isPortFree', () => {
  it('is false for a port that a server has, on its address or on every one', async () => {
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      const server = net.createServer().listen(0, host);
      await once(server, 'listening');
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      expect(await isPortFree(port, '127.0.0.1')).to.equal(false);
      server.close();
      await once(server, 'close');
      expect(await isPortFree(port, '127.0.0.1')).to.equal(true);
    }
  });

  it('is false for a port that is taken for datagrams', async () => {
    const socket = dgram.createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    expect(await isPortFree(port, '127.0.0.1')).to.equal(false);
    socket.close();
  });

  it('is an error for an address that is not of this machine', async () => {
    const failed = await caught(() => isPortFree(20_000, '192.0.2.1'));
    expect(failed.code).to.equal('ERR_HOST');
    expect(failed.message).to.equal(
      '--host: nothing can listen at "192.0.2.1": it is no address of this machine.',
    );
  });
});

describe('hostNotHere', () => {
  it('tells a name without an address from an address of another machine', () => {
    const refusal = (code: string): string =>
      hostNotHere('harbour.acme.example', Object.assign(new Error(), { code })).message;
    expect(refusal('ENOTFOUND')).to.include('the name has no address');
    expect(refusal('EADDRNOTAVAIL')).to.include('it is no address of this machine');
  });
});
