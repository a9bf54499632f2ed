import { Agent, type AgentOptions } from 'node:http';
import type { HttpBackend } from '@portolan/plugin-api';
import { networkModeOf } from '@portolan/run-spec';
import type { ContainerStarter } from './container-starter.ts';
import { HttpServer } from './http-server.ts';
import { answersAgain } from '../wait-for-listen.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import type { ServerSide } from './server-side.ts';
import type { Supervision } from '../supervision.ts';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** HTTP agent that connects to a changing local port. It calls `portOf` for each new connection. */
class SwitchingAgent extends Agent {
  readonly #portOf: () => number | undefined;

  constructor(portOf: () => number | undefined) {
    super({ keepAlive: true });
    this.#portOf = portOf;
  }

  override createConnection(
    options: AgentOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex {
    // A connection to port 0 fails, which is correct while the server restarts and has no port.
    const socket = connect({ ...options, host: '127.0.0.1', port: this.#portOf() ?? 0 });
    callback?.(null, socket);
    return socket;
  }
}

export function openHttpServer(
  work: Supervision,
  starter: ContainerStarter,
  adopted: string | undefined,
): ServerSide {
  const { config } = work;
  const { runtime, network } = starter.parts;
  let hostPort: number | undefined;
  const findPort = async (container: string): Promise<void> => {
    const match = await runtime.inspectContainer(container);
    hostPort = match?.ports.find(
      (port) => port.containerPort === config.target_port && port.hostAddress === '127.0.0.1',
    )?.hostPort;
  };
  const way = wayTo(work);
  const agent: Agent | undefined =
    way === 'as-named'
      ? undefined
      : network === undefined
        ? new SwitchingAgent(() => hostPort)
        : network.agent(config.target_port);
  const host = way === 'as-named' ? hostIn(config.target_host) : '127.0.0.1';
  const backend: HttpBackend = {
    carries: 'http',
    transport: config.transport === 'sse' ? 'sse' : 'streamable-http',
    target: new URL(`http://${host}:${config.target_port}`),
    isRemote: false,
    translatesEras: config.translate_eras === true,
    forwardHeaders: forwardedHeaders(work),
    ...(config.target_path === '' ? {} : { endpoint: config.target_path }),
    ...(agent === undefined ? {} : { agent }),
  };
  return new HttpServer(work, starter, {
    backend,
    adopted,
    started: way === 'published' && network === undefined ? findPort : () => Promise.resolve(),
    again: () => answersAgain(work),
  });
}

/**
 * Returns how the proxy reaches the server. `as-named` means at the configured host, when that is not
 * loopback or the container uses the host's network. `published` means by a published port.
 */
function wayTo({ config }: Supervision): 'as-named' | 'published' {
  const isLoopback = ['', '127.0.0.1', 'localhost', '::1'].includes(config.target_host);
  const { mode } = networkModeOf(config.permission_profile?.network?.mode);
  return !isLoopback || mode === 'host' ? 'as-named' : 'published';
}

function hostIn(host: string): string {
  if (host === '') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
