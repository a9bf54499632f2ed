import type { PageRequest, PagesSurroundings, PluginContext } from '@portolan/plugin-api';
import type { OpenRequests } from '../answers/open-requests.ts';
import type { Visitor } from '../login/visitor.ts';
import type { WebConsoleConfig } from '../web-console-config.ts';
import type { ConsoleAssets } from './console-assets.ts';
import type { Navigation } from './navigation.ts';

/** What all pages of the console are made with. */
export interface ConsoleParts {
  readonly config: WebConsoleConfig;
  readonly context: PluginContext;
  readonly surroundings: PagesSurroundings;
  readonly assets: ConsoleAssets;
  readonly requests: OpenRequests;
  /** Links at the top of every page, beside the way home. */
  readonly navigation: readonly Navigation[];
  /** Who sends a request. */
  readonly visitor: (request: PageRequest) => Promise<Visitor>;
}
