import type { HostedServer, PluginContext, Runtime, RuntimeKind } from '@portolan/plugin-api';

export interface HostUnderTest {
  /** Stands in the title of the suite. */
  readonly name: string;
  readonly kind: RuntimeKind;
  /** Blocks that can be used, with their defaults: the kind's `check` has to find nothing wrong with them. */
  readonly blocks?: readonly unknown[];
  /** Makes an instance. Called for every test. */
  readonly create: (context: PluginContext) => Runtime | Promise<Runtime>;
  /** A server that listens on `port`, and answers any HTTP request there; started with no help of this machine's network. */
  readonly http: HostedProgram;
  /** A server that speaks MCP on standard input and output; left out, the host runs none. */
  readonly stdio?: HostedProgram;
  /** An image that the host cannot run. */
  readonly missingImage: string;
  /** Most time for each test; left out, 40 seconds. */
  readonly withinMs?: number;
}

export type HostedProgram = Pick<HostedServer, 'image' | 'arguments'> &
  Partial<Pick<HostedServer, 'environment' | 'port'>>;
