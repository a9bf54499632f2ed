import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { PluginContext } from '../plugin-context.ts';
import type { Kind } from './kind.ts';

/** Ranks the tools of a virtual server for `find_tool`. */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface ToolIndexKind<Block extends ConfigBlock = any> extends Kind<Block, ToolIndex> {
  create(config: ConfigOf<Block>, context: PluginContext): ToolIndex | Promise<ToolIndex>;
}

/** Index of tools. A workload has one instance for all its lists of tools. */
export interface ToolIndex {
  /**
   * Builds an index of a list of tools, which does not change afterwards. The list may have 10,000 tools and more.
   * Each key occurs once. Names, descriptions and parameters come from servers and are untrusted.
   */
  build(tools: readonly IndexedTool[]): BuiltToolIndex | Promise<BuiltToolIndex>;
  /** Releases all resources. Idempotent. Never rejects. */
  close?(): Promise<void>;
}

/** Parts of a tool that an index can search. */
export interface IndexedTool {
  /** Member and own name, such as `github/create_issue`. Unique in its list. */
  readonly key: string;
  /** Name by which clients call the tool, such as `github_create_issue`. */
  readonly name: string;
  readonly member: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Names of the parameters at the top level of the input schema. */
  readonly parameters: readonly string[];
}

/** An index of one list of tools. */
export interface BuiltToolIndex {
  /**
   * Returns keys of tools that match the query, best first, and at most `limit`. Returns the same keys for the same
   * query. A model writes the query: any text of any length is valid, and no match is an empty list.
   */
  search(query: string, limit: number): readonly string[] | Promise<readonly string[]>;
}
