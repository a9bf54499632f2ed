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
 * The headers that repeat what a message without a handshake says. On standard
 * output there are none, so that whoever brings it to HTTP has to write them;
 * which arguments of tools are meant is learned from the lists that pass by.
 */
export class ModernHeaders {
  readonly #tools = new MirroredTools();

  /** Takes what a list of tools says. */
  learn(result: unknown): void {
    this.#tools.learn(result);
  }

  forget(): void {
    this.#tools.forget();
  }

  /** Whether a message is a call of a tool of which nothing is known. */
  needsTools(message: Message): boolean {
    if (message.kind === 'response' || message.method !== 'tools/call') return false;
    const name = memberOf(message.params, 'name');
    return typeof name === 'string' && this.#tools.paramsOf(name) === undefined;
  }

  /** The headers of a message that describes itself. */
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
