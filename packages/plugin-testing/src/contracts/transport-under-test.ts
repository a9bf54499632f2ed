import type { PluginContext, Transport, TransportKind } from '@portolan/plugin-api';

export interface TransportUnderTest {
  /** Stands in the title of the suite. */
  readonly name: string;
  readonly kind: TransportKind;
  /** Blocks that can be used, with their defaults: the kind's `check` has to find nothing wrong with them. */
  readonly blocks?: readonly unknown[];
  /** Makes an instance. Called for every test. */
  readonly create: (context: PluginContext) => Transport | Promise<Transport>;
  /** How a server writes and reads messages. For a kind that carries messages, it has to be there. */
  readonly wire?: MessageWire;
  /** Most time for what a test waits for; left out, 20 seconds. */
  readonly withinMs?: number;
}

/** The server's side of a transport that carries messages. */
export interface MessageWire {
  /** Bytes of a message as a server writes it. */
  readonly encode: (message: string) => Uint8Array;
  /** Every message in what a server has read. */
  readonly decode: (bytes: Uint8Array) => readonly string[];
}
