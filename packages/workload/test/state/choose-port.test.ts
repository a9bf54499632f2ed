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
  it('returns the requested port, or throws ERR_PORT_TAKEN', async () => {
    expect(
      await choosePort({ requested: 80, preferred: 81, host: 'x', reserved: none, isFree: only(80, 81) }),
    ).to.equal(80);
    const error = await caught(() =>
      choosePort({ requested: 80, host: 'x', reserved: none, isFree: only(81) }),
    );
    expect(error.code).to.equal('ERR_PORT_TAKEN');
    expect(error.message).to.equal('requested proxy port 80 is not available');
  });

  it('returns the requested port even if another workload keeps it', async () => {
    expect(
      await choosePort({ requested: 80, host: 'x', reserved: new Set([80]), isFree: only(80) }),
    ).to.equal(80);
  });

  it('returns the preferred port when it is free and no workload keeps it', async () => {
    const request = { preferred: 18_080, host: 'x', random: () => 0, isFree: only(18_080, FIRST_PORT) };
    expect(await choosePort({ ...request, reserved: none })).to.equal(18_080);
    expect(await choosePort({ ...request, reserved: new Set([18_080]) })).to.equal(FIRST_PORT);
    expect(await choosePort({ ...request, reserved: none, isFree: only(FIRST_PORT) })).to.equal(FIRST_PORT);
  });

  it('finds the only free port from any start', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: FIRST_PORT, max: LAST_PORT }).filter((port) => port !== 10_080),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        async (free, start) => {
          expect(
            await choosePort({ host: 'x', reserved: none, random: () => start, isFree: only(free) }),
          ).to.equal(free);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('never chooses a port that clients refuse to connect to, except on request', async () => {
    const refused: unknown = await fetch('http://127.0.0.1:10080/').catch((error: unknown) => error);
    expect(refused).to.have.nested.property('cause.message', 'bad port');
    const request = { host: 'x', reserved: none, isFree: only(10_080) };
    expect((await caught(() => choosePort(request))).code).to.equal('ERR_NO_FREE_PORT');
    expect(await choosePort({ ...request, requested: 10_080 })).to.equal(10_080);
  });

  it('throws ERR_NO_FREE_PORT when no port is free', async () => {
    const error = await caught(() =>
      choosePort({ host: 'x', reserved: none, isFree: () => Promise.resolve(false) }),
    );
    expect(error.code).to.equal('ERR_NO_FREE_PORT');
  });

  it('returns a port that a server can listen on', async () => {
    const port = await choosePort({ host: '127.0.0.1', reserved: none });
    expect(port).to.be.within(FIRST_PORT, LAST_PORT);
    expect(await isPortFree(port, '127.0.0.1')).to.equal(true);
  });
});

describe('isPortFree', () => {
  it('returns false for a port of a server on the same address or on all addresses', async () => {
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

  it('returns false for a port in use over UDP', async () => {
    const socket = dgram.createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    expect(await isPortFree(port, '127.0.0.1')).to.equal(false);
    socket.close();
  });

  it('throws ERR_HOST for an address of another machine', async () => {
    const failed = await caught(() => isPortFree(20_000, '192.0.2.1'));
    expect(failed.code).to.equal('ERR_HOST');
    expect(failed.message).to.equal(
      '--host: cannot listen at "192.0.2.1": it is not an address of this machine.',
    );
  });
});

describe('hostNotHere', () => {
  it('distinguishes a name without an address from an address of another machine', () => {
    const refusal = (code: string): string =>
      hostNotHere('harbour.acme.example', Object.assign(new Error(), { code })).message;
    expect(refusal('ENOTFOUND')).to.include('the name does not resolve');
    expect(refusal('EADDRNOTAVAIL')).to.include('it is not an address of this machine');
  });
});
