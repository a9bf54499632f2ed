import type { ToolFilterConfig } from './tool-filter-config.ts';

/** What clients see of a tool of the server. */
export interface VisibleTool {
  readonly name: string;
  /** Undefined where the server's own is kept. */
  readonly description: string | undefined;
}

/** The names of tools, as clients see them and as the server has them. */
export class ToolNames {
  /** Undefined where all may be seen. */
  readonly #shown: ReadonlySet<string> | undefined;
  readonly #byReal: ReadonlyMap<string, VisibleTool>;
  /** Of tools with another name than their own. */
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

  /** The server's names of the tools that the settings name. */
  get configured(): readonly string[] {
    const shown = [...(this.#shown ?? [])].map((name) => this.#realByNew.get(name) ?? name);
    return [...new Set([...shown, ...this.#byReal.keys()])];
  }

  /** What clients see of it; undefined where they do not see it. */
  visible(real: string): VisibleTool | undefined {
    const tool = this.#byReal.get(real) ?? { name: real, description: undefined };
    return this.#isShown(tool.name) ? tool : undefined;
  }

  /** The server's name for what a client calls by this one; undefined where there is no such tool for clients. */
  real(visible: string): string | undefined {
    if (!this.#isShown(visible)) return undefined;
    const renamed = this.#realByNew.get(visible);
    if (renamed !== undefined) return renamed;
    // What was renamed is gone under its old name.
    return (this.#byReal.get(visible)?.name ?? visible) === visible ? visible : undefined;
  }

  /** The tool that an override has given the name under which clients see this other one; undefined where there is none. */
  rival(real: string): string | undefined {
    const name = this.visible(real)?.name;
    const renamed = name === undefined ? undefined : this.#realByNew.get(name);
    return renamed === real ? undefined : renamed;
  }

  #isShown(visible: string): boolean {
    return this.#shown === undefined || this.#shown.has(visible);
  }
}
