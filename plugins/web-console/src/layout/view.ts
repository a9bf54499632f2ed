import type {
  ApiAnswer,
  ApiRequest,
  PageAnswer,
  PageRequest,
  PagesSurroundings,
  PluginContext,
} from '@portolan/plugin-api';
import type { ComponentChildren } from 'preact';
import type { OpenRequests } from '../answers/open-requests.ts';
import type { Visitor } from '../login/visitor.ts';
import type { WebConsoleConfig } from '../web-console-config.ts';
import type { ConsoleAssets } from './console-assets.ts';

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

/** A link at the top of every page. */
export interface NavigationItem {
  readonly path: string;
  readonly text: string;
}

/** What a visitor finds at the top of every page; asked for each page that is made. */
export type Navigation = (view: View) => Promise<readonly NavigationItem[]>;

/** A request for a page, with who sends it. */
export interface View {
  readonly parts: ConsoleParts;
  readonly request: PageRequest;
  readonly visitor: Visitor;
  /** Asks the API as the visitor. */
  readonly api: (request: ApiRequest) => Promise<ApiAnswer>;
  /** Address of a path of this server, for links and forms. */
  readonly at: (path: string) => string;
}

/** What stands on a page. */
export interface PageContent {
  /** Left out: 200. */
  readonly status?: number;
  /** Of the page, for the title of the window. */
  readonly title: string;
  readonly body: ComponentChildren;
  /** The way to it from the first page: paths and what they are called. */
  readonly trail?: readonly NavigationItem[];
  readonly headers?: PageAnswer['headers'];
}
