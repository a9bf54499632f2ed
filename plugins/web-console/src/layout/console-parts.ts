import type { PageRequest, PagesSurroundings, PluginContext } from '@portolan/plugin-api';
import type { Visitor } from '../login/visitor.ts';
import type { WebConsoleConfig } from '../web-console-config.ts';

/** What all pages of the console are made with. */
export interface ConsoleParts {
  readonly config: WebConsoleConfig;
  readonly context: PluginContext;
  readonly surroundings: PagesSurroundings;
  /** Who sends a request. */
  readonly visitor: (request: PageRequest) => Promise<Visitor>;
}
