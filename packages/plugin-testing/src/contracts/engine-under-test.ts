import type { Labels, PluginContext, ContainerEngine, Runtime, RuntimeKind } from '@portolan/plugin-api';

export interface EngineUnderTest {
  /** Stands in the title of the suite. */
  readonly name: string;
  readonly kind: RuntimeKind;
  /** Blocks that can be used, with their defaults: the kind's `check` has to find nothing wrong with them. */
  readonly blocks?: readonly unknown[];
  /** Makes an instance. Called for every test. */
  readonly create: (context: PluginContext) => Runtime | Promise<Runtime>;
  /** An image that the engine has, and commands in it. */
  readonly image: string;
  readonly commands: EngineCommands;
  /**
   * Makes a network in the engine, as somebody would who has the engine's own
   * tool; its id. Left out, no network is listed and removed.
   */
  readonly makeNetwork?: (runtime: ContainerEngine, name: string, labels: Labels) => Promise<string>;
  /** Most time for each test; left out, 40 seconds. */
  readonly withinMs?: number;
}

export interface EngineCommands {
  /** Writes the text and a line end to standard output, then ends with this status. */
  readonly say: (text: string, exitCode: number) => readonly string[];
  /** Writes what it reads to standard output, until its input ends. */
  readonly copy: readonly string[];
  /** Goes on until it is told to stop, and then ends. */
  readonly wait: readonly string[];
}
