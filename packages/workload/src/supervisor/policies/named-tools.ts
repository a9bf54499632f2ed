import {
  type ClientExchange,
  isJsonObject,
  type Logger,
  nearest,
  type ProxyMiddleware,
  type ServerMessage,
} from '@portolan/plugin-api';
import type { PlacedProxyMiddleware } from '@portolan/proxy';

/** Maximum number of paged tool lists whose pages are collected at the same time. */
const MAX_LISTS = 16;
const MAX_NAMES = 10_000;
const MAX_REPORTED = 10;

export interface NamedToolsOptions {
  readonly middleware: readonly PlacedProxyMiddleware[];
  readonly logger: Logger;
  /** Shows the warning in the status of the workload. An empty text removes the warning. */
  readonly remark: (text: string) => void;
  /**
   * Stores the names of a complete tool list, for `authz validate`. The proxy sends its response to the
   * client afterwards.
   */
  readonly keepNames?: (names: readonly string[]) => Promise<void>;
  /** Whether to store the names even if no settings name tools. */
  readonly keepsAlways?: boolean;
}

/**
 * Returns middleware that warns when settings name tools that are not in the server's first list. Returns
 * undefined when no middleware has settings that name tools, and no names are to be stored.
 */
export function watchNamedTools(options: NamedToolsOptions): PlacedProxyMiddleware | undefined {
  const isNamed = options.middleware.some(({ instance }) => instance.namedTools !== undefined);
  if (!isNamed && options.keepsAlways !== true) return undefined;
  // Messages of the server reach this position first, before a filter removes any tool.
  return { name: 'named-tools', placed: 'filter', instance: new NamedTools(options) };
}

class NamedTools implements ProxyMiddleware {
  readonly #options: NamedToolsOptions;
  /** Names of the pages so far, by the cursor of the next page. */
  readonly #unfinished = new Map<string, readonly string[]>();
  #hasWarned: boolean | undefined;
  #reported = '';

  constructor(options: NamedToolsOptions) {
    this.#options = options;
  }

  onResponse(message: ServerMessage, { message: request }: ClientExchange): Promise<void> | undefined {
    if (message.kind !== 'response' || request?.kind !== 'request' || request.method !== 'tools/list')
      return undefined;
    const { result } = message;
    const tools = isJsonObject(result) ? result['tools'] : undefined;
    if (!isJsonObject(result) || !Array.isArray(tools)) return undefined;
    const names = [...this.#namesBefore(request.params?.['cursor']), ...tools.flatMap(nameOf)];
    const { nextCursor } = result;
    if (typeof nextCursor === 'string') {
      this.#keep(nextCursor, names);
      return undefined;
    }
    // Later lists can only remove the warning, because servers may list different tools to other callers.
    if (this.#hasWarned !== false) this.#compare(names);
    return this.#keepWhole(names);
  }

  #keepWhole(names: readonly string[]): Promise<void> | undefined {
    const text = JSON.stringify(names);
    if (names.length > MAX_NAMES || text === this.#reported) return undefined;
    this.#reported = text;
    return this.#options.keepNames?.(names);
  }

  #namesBefore(cursor: unknown): readonly string[] {
    if (typeof cursor !== 'string') return [];
    const before = this.#unfinished.get(cursor) ?? [];
    this.#unfinished.delete(cursor);
    return before;
  }

  #keep(cursor: string, names: readonly string[]): void {
    if (names.length > MAX_NAMES) return;
    this.#unfinished.set(cursor, names);
    const [oldest] = this.#unfinished.keys();
    if (this.#unfinished.size > MAX_LISTS && oldest !== undefined) this.#unfinished.delete(oldest);
  }

  #compare(listed: readonly string[]): void {
    const { middleware, logger, remark } = this.#options;
    const known = new Set(listed);
    const faults = middleware.flatMap(({ name, instance }) => {
      const unknown = [...new Set(instance.namedTools?.())].filter((tool) => !known.has(tool));
      return unknown.map((tool) => ({ name, tool, suggestion: nearest(tool, listed) }));
    });
    if (faults.length === 0) {
      if (this.#hasWarned === true) remark('');
      this.#hasWarned = false;
      return;
    }
    if (this.#hasWarned === true) return;
    this.#hasWarned = true;
    const text = `The server has no tool of these names: ${faults.slice(0, MAX_REPORTED).map(describe).join(', ')}${
      faults.length > MAX_REPORTED ? `, and ${faults.length - MAX_REPORTED} more` : ''
    }.`;
    logger.warn({ unknown: faults.slice(0, MAX_REPORTED) }, text);
    remark(text);
  }
}

function describe({
  name,
  tool,
  suggestion,
}: {
  readonly name: string;
  readonly tool: string;
  readonly suggestion: string | undefined;
}): string {
  const meant = suggestion === undefined ? '' : `; did you mean ${JSON.stringify(suggestion)}?`;
  return `${JSON.stringify(tool)} (settings of ${name}${meant})`;
}

function nameOf(tool: unknown): readonly string[] {
  const name = isJsonObject(tool) ? tool['name'] : undefined;
  return typeof name === 'string' ? [name] : [];
}
