import {
  isJsonObject,
  memberOf,
  type Message,
  type RequestMessage,
  writeNotification,
} from '@portolan/mcp-protocol';

export class LegacySession {
  /** Session id. Undefined before the handshake, and when the proxy sends no id. */
  id: string | undefined;
  #greeting: RequestMessage | undefined;
  #revision: string | undefined;
  #level: string | undefined;
  readonly #subscriptions = new Map<string, string>();

  get hasGreeted(): boolean {
    return this.#greeting !== undefined && this.#revision !== undefined;
  }

  get revision(): string | undefined {
    return this.#revision;
  }

  learn(request: RequestMessage, result: unknown): void {
    const { method, params, text } = request;
    if (method === 'initialize') {
      const revision = isJsonObject(result) ? memberOf(result, 'protocolVersion') : undefined;
      this.#greeting = request;
      this.#revision = typeof revision === 'string' ? revision : '';
      this.#level = undefined;
      this.#subscriptions.clear();
    }
    const uri = memberOf(params, 'uri');
    if (method === 'logging/setLevel') this.#level = text;
    if (method === 'resources/subscribe' && typeof uri === 'string') this.#subscriptions.set(uri, text);
    if (method === 'resources/unsubscribe' && typeof uri === 'string') this.#subscriptions.delete(uri);
  }

  history(): { readonly greeting: RequestMessage; readonly rest: readonly string[] } | undefined {
    if (this.#greeting === undefined) return undefined;
    const level = this.#level === undefined ? [] : [this.#level];
    const rest = [
      writeNotification('notifications/initialized', '{}'),
      ...level,
      ...this.#subscriptions.values(),
    ];
    return { greeting: this.#greeting, rest };
  }

  headers(message?: Message): Readonly<Record<string, string>> {
    if (message?.kind === 'request' && message.method === 'initialize') return {};
    return {
      ...(this.id === undefined ? {} : { 'Mcp-Session-Id': this.id }),
      ...(this.#revision === undefined || this.#revision === ''
        ? {}
        : { 'MCP-Protocol-Version': this.#revision }),
    };
  }
}
