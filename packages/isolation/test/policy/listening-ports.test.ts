import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { parseListeningPorts, readListeningPorts } from '../../src/policy/network-reader.ts';

const IPV4 = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 00000000:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   2: 010011AC:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   3: 010012AC:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   4: 010011AC:C350 020011AC:0050 01 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
`;
const IPV6 = `   0: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A 0 0 0 0 0 1
   1: 00000000000000000000000001000000:0019 00000000000000000000000000000000:0000 0A 0 0 0 0 0 1
   2: 0000000000000000FFFF0000010011AC:001A 00000000000000000000000000000000:0000 0A 0 0 0 0 0 1
`;

describe('parseListeningPorts', () => {
  it('returns ports that listen on the address or on all addresses, without connections', () => {
    expect(parseListeningPorts(IPV4, '172.17.0.1')).to.deep.equal([5432, 8080]);
  });

  it('parses the IPv6 table', () => {
    expect(parseListeningPorts(IPV6, '172.17.0.1')).to.deep.equal([22, 26]);
  });
});

describe('readListeningPorts', () => {
  it('returns a service while it listens on all addresses, and none on loopback', async () => {
    const [open, closed] = [createServer(), createServer()];
    await Promise.all([
      once(open.listen(0, '0.0.0.0'), 'listening'),
      once(closed.listen(0, '127.0.0.1'), 'listening'),
    ]);
    const portOf = (server: typeof open): number => {
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : 0;
    };
    const [openPort, closedPort] = [portOf(open), portOf(closed)];
    const ports = await readListeningPorts('172.17.0.1');
    expect(ports).to.include(openPort).and.not.include(closedPort);
    await Promise.all([once(open.close(), 'close'), once(closed.close(), 'close')]);
    expect(await readListeningPorts('172.17.0.1')).not.to.include(openPort);
  });
});
