import type { ServerConnection } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { ContractCase } from './contract-case.ts';
import type { HostedProgram } from './host-under-test.ts';
import type { UseHost } from './use-host.ts';

const GREETING = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

/** What hosts promise of servers that are spoken to by messages. */
export function hostMessageCases(stdio: HostedProgram, use: UseHost): readonly ContractCase[] {
  return [
    {
      title: 'opens processes of a server that is spoken to by messages, each for itself',
      run: use(async ({ host, open, labels, signal }) => {
        const { server, exits } = await open(stdio);
        const { backend } = server;
        if (backend.carries !== 'messages') throw new TypeError('standard input and output carry messages');
        expect(backend).to.include({ mode: 'streamable-http', sessions: 'own' });
        const connections = [await backend.openConnection(signal), await backend.openConnection(signal)];
        for (const connection of connections) {
          await connection.send(GREETING);
          expect(await firstAnswer(connection)).to.have.nested.property('result.serverInfo');
        }
        await connections[0]?.close();
        await connections[0]?.close();
        expect((await host.listServers(labels)).map(({ running }) => running)).to.deep.equal([true]);
        await connections[1]?.close();
        await server.close();
        expect(exits).to.deep.equal([]);
        expect(await host.listServers(labels)).to.deep.equal([]);
      }),
    },
  ];
}

async function firstAnswer({ received }: ServerConnection): Promise<unknown> {
  const { value, done } = await received[Symbol.asyncIterator]().next();
  if (done === true) throw new Error('found the end, and no answer');
  return JSON.parse(typeof value === 'string' ? value : value.beginning);
}
