import { findValue, type JsonRecord, memberOf } from '@portolan/mcp-protocol';
import type {
  ClientVerdict,
  Logger,
  MessageChange,
  RequestView,
  ServerVerdict,
  ToolIndex,
} from '@portolan/plugin-api';
import { CALL_FOR_ANOTHER } from '@portolan/proxy';
import { toolUnknown } from '../aggregate/protocol-errors.ts';
import { markChanges } from '../middleware/list-marks.ts';
import type { RenderedItem } from '../middleware/rendered-list.ts';
import type { SearchTools } from '../middleware/search-tools.ts';
import type { NameDirectory } from '../names/name-directory.ts';
import { pathNameOf } from '../names/path-name.ts';
import type { SearchSettings } from '../options.ts';
import { failedResultOf, findResultOf } from './find-result.ts';
import { KeptIndexes } from './kept-indexes.ts';
import { type FindArguments, parseCallArguments, parseFindArguments } from './search-arguments.ts';
import { isSearchOn, renderSearchList } from './search-list.ts';

const ARGUMENTS = ['params', 'arguments'];

export interface ToolSearchOptions {
  readonly settings: SearchSettings;
  readonly index: ToolIndex;
  readonly logger: Logger;
  /** Maximum number of tools in all indexes that are kept. Default: 50,000. */
  readonly maxTools?: number;
}

/**
 * The tool search. `find_tool` becomes a `tools/list`, which policies filter as that of the caller, and `call_tool` a
 * `tools/call` of the inner tool, which policies see as a direct call.
 */
export class ToolSearch implements SearchTools {
  readonly #options: ToolSearchOptions;
  readonly #indexes: KeptIndexes;

  constructor(options: ToolSearchOptions) {
    this.#options = options;
    this.#indexes = new KeptIndexes(options.index, options.maxTools);
  }

  change(message: RequestView, names: NameDirectory, isModern: boolean): ClientVerdict | undefined {
    const given = memberOf(message.params, 'arguments');
    switch (memberOf(message.params, 'name')) {
      case 'find_tool': {
        const parsed = parseFindArguments(given);
        return 'fault' in parsed
          ? failedCall(parsed.fault, isModern)
          : { change: findChanges(message, parsed) };
      }
      case 'call_tool': {
        const parsed = parseCallArguments(given);
        return 'fault' in parsed
          ? failedCall(parsed.fault, isModern)
          : callVerdict(message, parsed.name, names);
      }
      default:
        return undefined;
    }
  }

  shown(items: readonly RenderedItem[]): string | undefined {
    const { settings } = this.#options;
    return isSearchOn(settings, items) ? renderSearchList(settings, items) : undefined;
  }

  async found(
    items: readonly RenderedItem[],
    { query, limit }: FindArguments,
    isModern: boolean,
  ): Promise<ServerVerdict> {
    let result: JsonRecord;
    try {
      const built = await this.#indexes.get(items);
      result = findResultOf(selectItems(items, await built.search(query, limit), limit));
    } catch (error) {
      this.#options.logger.error({ err: error }, 'the tool index fails');
      result = failedResultOf('The search is unavailable. Try again later.');
    }
    return { change: [{ path: ['result'], json: renderResult(result, isModern) }] };
  }
}

/** Returns the changes that turn a call of `find_tool` into a `tools/list` with a mark. */
function findChanges(message: RequestView, find: FindArguments): readonly MessageChange[] {
  const others = Object.keys(message.params ?? {}).filter((name) => name !== '_meta');
  return [
    { path: ['method'], json: '"tools/list"' },
    ...others.map((name) => ({ path: ['params', name], json: undefined })),
    ...markChanges(message, { find }),
  ];
}

/** Returns the verdict that turns a call of `call_tool` into one of the inner tool. */
function callVerdict(message: RequestView, name: string, names: NameDirectory): ClientVerdict {
  const item = names.resolve(name);
  if (item === undefined) return { refuse: { ...toolUnknown({ name }), status: 404 } };
  // The text as the client wrote it, because a parsed number may have lost digits.
  const span = findValue(message.text, [...ARGUMENTS, 'arguments']);
  return {
    change: [
      { path: ['params', 'name'], json: JSON.stringify(pathNameOf(item.member, item.own)) },
      { path: ARGUMENTS, json: span === undefined ? '{}' : message.text.slice(span.start, span.end) },
    ],
    by: [CALL_FOR_ANOTHER],
  };
}

function failedCall(fault: string, isModern: boolean): ClientVerdict {
  return { response: renderResult(failedResultOf(fault), isModern) };
}

function renderResult(result: JsonRecord, isModern: boolean): string {
  return JSON.stringify(isModern ? { resultType: 'complete', ...result } : result);
}

/** Returns the tools with these keys. A plugin may have returned unknown keys, repeated ones, or too many. */
function selectItems(
  items: readonly RenderedItem[],
  keys: readonly string[],
  limit: number,
): readonly RenderedItem[] {
  const byKey = new Map(items.map((item) => [pathNameOf(item.member, item.own), item]));
  return [...new Set(keys)].flatMap((key) => byKey.get(key) ?? []).slice(0, limit);
}
