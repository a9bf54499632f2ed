import type { ToolFilterConfig } from './tool-filter-config.ts';

/** Tool as clients see it. */
export interface VisibleTool {
  readonly name: string;
  /** Description for clients; undefined keeps the server's. */
  readonly description: string | undefined;
}

export class ToolNames {
  /** Names of the visible tools; undefined means all. */
  readonly #shown: ReadonlySet<string> | undefined;
  readonly #byReal: ReadonlyMap<string, VisibleTool>;
  readonly #realByNew: ReadonlyMap<string, string>;

  constructor({ tools, override }: ToolFilterConfig) {
    this.#shown = tools.length === 0 ? undefined : new Set(tools);
    this.#byReal = new Map(
      Object.entries(override).map(([real, { name = real, description }]) => [real, { name, description }]),
    );
    this.#realByNew = new Map(
      [...this.#byReal].flatMap(([real, { name }]) => (name === real ? [] : [[name, real] as const])),
    );
  }

  get configured(): readonly string[] {
    const shown = [...(this.#shown ?? [])].map((name) => this.#realByNew.get(name) ?? name);
    return [...new Set([...shown, ...this.#byReal.keys()])];
  }

  /** Returns the tool as clients see it; undefined if it is hidden. */
  visible(real: string): VisibleTool | undefined {
    const tool = this.#byReal.get(real) ?? { name: real, description: undefined };
    return this.#isShown(tool.name) ? tool : undefined;
  }

  /** Returns the server's name for a client's name; undefined if clients have no such tool. */
  real(visible: string): string | undefined {
    if (!this.#isShown(visible)) return undefined;
    const renamed = this.#realByNew.get(visible);
    if (renamed !== undefined) return renamed;
    // A renamed tool is not available under its old name.
    return (this.#byReal.get(visible)?.name ?? visible) === visible ? visible : undefined;
  }

  /** Returns the tool whose override uses the visible name of this one. */
  rival(real: string): string | undefined {
    const name = this.visible(real)?.name;
    const renamed = name === undefined ? undefined : this.#realByNew.get(name);
    return renamed === real ? undefined : renamed;
  }

  #isShown(visible: string): boolean {
    return this.#shown === undefined || this.#shown.has(visible);
  }
}
