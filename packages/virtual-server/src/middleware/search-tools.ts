import type { ClientVerdict, RequestView, ServerVerdict } from '@portolan/plugin-api';
import type { NameDirectory } from '../names/name-directory.ts';
import type { RenderedItem } from './rendered-list.ts';

/** The tool search: what it changes in requests and lists. */
export interface SearchTools {
  /** Returns the verdict on a call of `find_tool` or `call_tool`; undefined for other calls. */
  change(message: RequestView, names: NameDirectory, isModern: boolean): ClientVerdict | undefined;
  /** Returns the JSON of the list while the search is on for it; undefined while it is off. */
  shown(items: readonly RenderedItem[]): string | undefined;
  /** Returns the result of `find_tool` from the tools that the caller may call. */
  found(
    items: readonly RenderedItem[],
    find: { readonly query: string; readonly limit: number },
    isModern: boolean,
  ): ServerVerdict | Promise<ServerVerdict>;
}
