import type { ContainerSpec, Transport, TransportSetup } from '@portolan/plugin-api';
import { expect } from 'chai';
import { deepFrozen } from '../deep-frozen.ts';
import { createTestContext } from '../test-context.ts';
import type { ContractCase } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';
import { connectionCases } from './transport-connection-cases.ts';
import type { TransportUnderTest } from './transport-under-test.ts';

/** A spec with something in every field that a transport has no business with. */
const SPEC: ContainerSpec = {
  name: 'notes',
  image: 'acme/notes:1',
  command: ['serve', '--fast'],
  environment: { REGION: 'eu' },
  labels: { 'portolan.dev/name': 'notes' },
  user: '65532:65532',
  mounts: [{ type: 'bind', source: '/srv/notes', target: '/notes', readOnly: true }],
  network: { mode: 'none' },
  ports: [{ containerPort: 9000, hostAddress: '127.0.0.1' }],
  capabilities: [],
  limits: { memoryBytes: 1_000_000 },
};

/** Fields in which a transport may say how the server is started. */
const TELLING: readonly (keyof ContainerSpec)[] = ['command', 'entrypoint', 'environment', 'stdin'];

/** What a transport kind promises; see `Transport` in `@portolan/plugin-api`. */
export function transportCases(options: TransportUnderTest): readonly ContractCase[] {
  const { kind } = options;
  const withTransport = async (action: (transport: Transport) => void): Promise<void> => {
    action(await options.create(createTestContext()));
  };
  return [
    ...kindCases(kind, options.blocks),
    {
      title: 'carries what its kind says',
      run: () =>
        withTransport((transport) => {
          expect(kind.carries).to.be.oneOf(['messages', 'http']);
          expect(transport.carries).to.equal(kind.carries);
        }),
    },
    {
      title: 'prepares a spec without changing the one it was given, and the same again',
      run: () =>
        withTransport((transport) => {
          for (const setup of setupsOf(transport)) {
            const prepared = transport.prepareContainer(deepFrozen(structuredClone(SPEC)), setup);
            expect(transport.prepareContainer(SPEC, setup)).to.deep.equal(prepared);
          }
        }),
    },
    {
      title: 'changes nothing of a spec but how the server is started',
      run: () => withTransport(changesNothingElse),
    },
    {
      title: 'leaves every variable as it is that is set already',
      run: () => withTransport(keepsVariables),
    },
    ...(kind.carries === 'http' ? httpCases(withTransport) : connectionCases(options)),
  ];
}

function setupsOf({ carries }: Transport): readonly TransportSetup[] {
  const ports = carries === 'http' ? [8080, 65_535] : [undefined];
  return ports.flatMap((port) => [
    { port, serves: 'session' },
    { port, serves: 'shared' },
  ]);
}

function changesNothingElse(transport: Transport): void {
  for (const setup of setupsOf(transport)) {
    const prepared: Record<string, unknown> = { ...transport.prepareContainer(SPEC, setup) };
    const before: Record<string, unknown> = { ...SPEC };
    for (const field of TELLING) {
      delete prepared[field];
      delete before[field];
    }
    expect(prepared).to.deep.equal(before);
  }
}

function keepsVariables(transport: Transport): void {
  for (const setup of setupsOf(transport)) {
    const told = transport.prepareContainer(SPEC, setup).environment;
    expect(told).to.include(SPEC.environment);
    const mine = Object.fromEntries(Object.keys(told).map((name) => [name, 'mine']));
    expect(transport.prepareContainer({ ...SPEC, environment: mine }, setup).environment).to.deep.equal(mine);
  }
}

function httpCases(
  withTransport: (action: (transport: Transport) => void) => Promise<void>,
): readonly ContractCase[] {
  return [
    {
      title: 'tells the server its port',
      run: () =>
        withTransport((transport) => {
          const { environment, command } = transport.prepareContainer(SPEC, {
            port: 43_210,
            serves: 'shared',
          });
          expect([...Object.values(environment), ...command].join(' ')).to.include('43210');
        }),
    },
    {
      title: 'names the path at which clients reach the server',
      run: () =>
        withTransport((transport) => {
          expect(transport)
            .to.have.property('clientPath')
            .that.matches(/^\/[^\s?#]*$/);
        }),
    },
  ];
}
