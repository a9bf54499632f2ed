import type { IndexedTool, ToolIndex } from '@portolan/plugin-api';

/** An index that finds tools with a word of the query in their name, description or parameters. */
export class WordIndex implements ToolIndex {
  /** Lists that were indexed, oldest first. */
  readonly lists: (readonly IndexedTool[])[] = [];

  build(tools: readonly IndexedTool[]): { search(query: string, limit: number): readonly string[] } {
    this.lists.push(tools);
    const rows = tools.map(({ key, name, description = '', parameters }) => ({
      key,
      text: `${name} ${description} ${parameters.join(' ')}`.toLowerCase(),
    }));
    return {
      search: (query, limit) => {
        const words = query.toLowerCase().split(/\s+/);
        const isMatch = ({ text }: { readonly text: string }): boolean =>
          words.some((word) => text.includes(word));
        return rows
          .filter(isMatch)
          .slice(0, limit)
          .map(({ key }) => key);
      },
    };
  }
}
