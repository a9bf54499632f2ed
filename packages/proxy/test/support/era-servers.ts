import type { OpenConnection } from '@portolan/plugin-api';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { type EraLimits, translateEras, type TranslatedServer } from '../../src/server/eras/eras.ts';
import { type Script, ScriptedServer } from './scripted-server.ts';

export interface Translated {
  readonly server: TranslatedServer;
  /** All processes, in the order of their start. */
  readonly processes: readonly ScriptedServer[];
  readonly running: () => readonly ScriptedServer[];
}

/** Runs `translateEras` with scripted servers, and closes everything that it opened. */
export class EraServers {
  readonly #all: Translated[] = [];

  open(script: Script, limits: Partial<EraLimits> = {}, isShared = false): Translated {
    const processes: ScriptedServer[] = [];
    const open: OpenConnection = async () => {
      const process = new ScriptedServer(script);
      processes.push(process);
      return process;
    };
    const server = translateEras(open, {
      version: '0.0.0',
      limits,
      isShared,
      logger: createRecordingLogger(),
      clock: () => new Date(),
    });
    const translated = { server, processes, running: () => processes.filter(({ isClosed }) => !isClosed) };
    this.#all.push(translated);
    return translated;
  }

  /** Closes all servers, and returns the number of processes that still run. Tests expect 0. */
  async close(): Promise<number> {
    const all = this.#all.splice(0);
    await Promise.all(all.map(({ server }) => server.close()));
    return all.reduce((sum, { running }) => sum + running().length, 0);
  }
}

/**
 * Returns the script of a Legacy server that refuses everything before the handshake, and echoes tool calls.
 */
export function legacyScript(more?: Script['received']): Script {
  return {
    received: (message, server) => {
      const { id, method, params } = message;
      if (method === 'initialize') {
        const capabilities = {
          tools: { listChanged: true },
          resources: { subscribe: true },
          logging: {},
        };
        const serverInfo = { name: 'legacy', version: '1' };
        const { protocolVersion } = params;
        server.say({ id, result: { protocolVersion, capabilities, serverInfo, instructions: 'Ask.' } });
      } else if (!server.sent.some((sent) => sent.method === 'initialize')) {
        if (id !== undefined) server.say({ id, error: { code: -32601, message: 'Method not found' } });
      } else if (
        method === 'logging/setLevel' ||
        method === 'ping' ||
        method?.startsWith('resources/') === true
      ) {
        server.say({ id, result: {} });
      } else if (method === 'tools/list') server.say({ id, result: { tools: [] } });
      else if (more !== undefined) more(message, server);
      else if (method === 'tools/call') {
        server.say({ id, result: { content: [{ type: 'text', text: JSON.stringify(params.arguments) }] } });
      }
    },
  };
}
