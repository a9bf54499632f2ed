import {
  encodeFieldValue,
  mirroredName,
  MirroredTools,
  META,
  isJsonObject,
  type JsonRecord,
  memberOf,
  type Message,
  metaOf,
} from '@portolan/mcp-protocol';

/**
 * Builds headers for messages without a handshake. Tool lists that pass by show which arguments belong into
 * headers.
 */
export class ModernHeaders {
  readonly #tools = new MirroredTools();

  learn(result: unknown): void {
    this.#tools.learn(result);
  }

  forget(): void {
    this.#tools.forget();
  }

  needsTools(message: Message): boolean {
    if (message.kind === 'response' || message.method !== 'tools/call') return false;
    const name = memberOf(message.params, 'name');
    return typeof name === 'string' && this.#tools.paramsOf(name) === undefined;
  }

  headersOf(message: Exclude<Message, { kind: 'response' }>): Readonly<Record<string, string>> {
    const { method, params } = message;
    const claim = memberOf(metaOf(params), META.claim);
    const name = mirroredName(method, params);
    return {
      ...(typeof claim === 'string' ? { 'MCP-Protocol-Version': claim } : {}),
      'Mcp-Method': encodeFieldValue(method),
      ...(name === undefined ? {} : { 'Mcp-Name': encodeFieldValue(name) }),
      ...(method === 'tools/call' ? this.#paramsOf(params) : {}),
    };
  }

  #paramsOf(params: JsonRecord | undefined): Readonly<Record<string, string>> {
    const name = memberOf(params, 'name');
    const mirrored = (typeof name === 'string' ? this.#tools.paramsOf(name) : undefined) ?? [];
    return Object.fromEntries(
      mirrored.flatMap(({ header, path }) => {
        let value: unknown = memberOf(params, 'arguments');
        for (const key of path) value = isJsonObject(value) ? memberOf(value, key) : undefined;
        if (!['string', 'number', 'boolean'].includes(typeof value)) return [];
        return [[`Mcp-Param-${header}`, encodeFieldValue(String(value))] as const];
      }),
    );
  }
}
