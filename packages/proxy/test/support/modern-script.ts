import type { Script, ScriptedServer, SentMessage } from './scripted-server.ts';
import { MODERN } from './modern-client.ts';

export interface ModernScriptOptions {
  readonly supported?: readonly string[];
  readonly tools?: readonly object[];
  readonly capabilities?: object;
  /** What the server does with everything else; left out: it holds it. */
  received?(message: SentMessage, server: ScriptedServer): void;
}

/** A server without a handshake: it says what it speaks, lists its tools, and does what a test wants with everything else. */
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
