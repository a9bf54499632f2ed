import type { Script, ScriptedServer, SentMessage } from './scripted-server.ts';
import { MODERN } from './modern-client.ts';

export interface ModernScriptOptions {
  readonly supported?: readonly string[];
  readonly tools?: readonly object[];
  readonly capabilities?: object;
  /** Handles all other messages. By default, the server does not respond to them. */
  received?(message: SentMessage, server: ScriptedServer): void;
}

/**
 * Returns the script of a Modern server: it responds to discovery and `tools/list`, and passes everything
 * else to the test.
 */
export function modernScript(options: ModernScriptOptions = {}): Script {
  const { supported = [MODERN], tools = [], capabilities = { tools: {} } } = options;
  const results: Readonly<Record<string, object>> = {
    'server/discover': { supportedVersions: supported, capabilities, resultType: 'complete' },
    'tools/list': { tools, resultType: 'complete', ttlMs: 5, cacheScope: 'public' },
  };
  return {
    received: (message, server) => {
      const { id, method = '', params } = message;
      const result = Object.hasOwn(results, method) ? results[method] : undefined;
      if (method === 'initialize') {
        const data = { supported, requested: params?.protocolVersion };
        server.say({ id, error: { code: -32022, message: 'Unsupported protocol version', data } });
      } else if (result !== undefined) server.say({ id, result });
      else options.received?.(message, server);
    },
  };
}
